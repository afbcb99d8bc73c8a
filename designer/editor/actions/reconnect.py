"""Plugs: the two ends of a transition, each of which can be put into another stage."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction

from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch, transition_key
from designer.editor.actions.topology import has_next, missing_stages_text, read_outgoing
from designer.models import Pipeline

End = Literal["source", "target"]


@transaction.atomic
def reconnect_transition(
    *, pipeline: Pipeline, user: User, key: str, end: End, phase: str
) -> Change:
    """Let a transition begin at, or lead to, another stage; all else about it stays.

    Only where its new source has a `next` already does it become a `return`.
    """
    pipeline = lock(pipeline)
    way = read_outgoing(pipeline, key)[key]
    moved = way.model_copy(update={end: phase})
    if moved == way:
        return make_edit(
            pipeline=pipeline, user=user, label="", patch=Patch(transitions={key: way})
        )
    if not pipeline.stages.filter(phase=phase).exists():
        raise GoneError(missing_stages_text([phase]))
    taken = pipeline.transitions.filter(
        source__phase=moved.source, target__phase=moved.target
    ).exists()
    if taken:
        raise RefusedError(f"“{moved.source}” already leads to “{moved.target}”.", field="stage")
    if end == "source" and way.kind == "next" and has_next(pipeline, phase):
        moved = moved.model_copy(update={"kind": "return"})
    where = f"to {phase}" if end == "target" else f"to begin at {phase}"
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Move {way.source} → {way.target} {where}",
        patch=Patch(transitions={key: None, transition_key(moved.source, moved.target): moved}),
    )
