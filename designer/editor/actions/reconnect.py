"""Move one end of a transition to another stage."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth.models import User

from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch, transition_key
from designer.editor.actions.topology import has_next, missing_stages_text, read_outgoing
from designer.models import Pipeline

End = Literal["source", "target"]


@edit_action
def reconnect_transition(
    *, pipeline: Pipeline, user: User, key: str, end: End, phase: str
) -> Change:
    """Move the source or the target of a transition to another stage.

    A `next` becomes a `return` if its new source already has a `next`.
    """
    pipeline = current_row(pipeline)
    transition = read_outgoing(pipeline, key)[key]
    moved = transition.model_copy(update={end: phase})
    if moved == transition:
        return make_edit(
            pipeline=pipeline, user=user, label="", patch=Patch(transitions={key: transition})
        )
    if not pipeline.stages.filter(phase=phase).exists():
        raise GoneError(missing_stages_text([phase]))
    taken = pipeline.transitions.filter(
        source__phase=moved.source, target__phase=moved.target
    ).exists()
    if taken:
        raise RefusedError(f"“{moved.source}” already leads to “{moved.target}”.", field="stage")
    if end == "source" and transition.kind == "next" and has_next(pipeline, phase):
        moved = moved.model_copy(update={"kind": "return"})
    where = f"to {phase}" if end == "target" else f"to begin at {phase}"
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Move {transition.source} → {transition.target} {where}",
        patch=Patch(transitions={key: None, transition_key(moved.source, moved.target): moved}),
    )
