"""Insertion of an existing stage into a transition."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch, TransitionKey, transition_key
from designer.editor.actions.topology import missing_stages_text, read_outgoing
from designer.models import Pipeline
from orchestration.definition import Key, Position, Transition


@edit_action
def insert_existing_stage(
    *,
    pipeline: Pipeline,
    user: User,
    phase: str,
    source: str,
    target: str,
    at: Position | None = None,
    moves: Mapping[str, Position] | None = None,
) -> Change:
    """Insert a stage into the transition from `source` to `target`, and move it to `at`.

    Its other transitions stay. If it already has a `next`, its transition to `target` is a
    `return`. `moves` makes room for it.
    """
    pipeline = current_row(pipeline)
    key = transition_key(source, target)
    if phase in (source, target):
        raise RefusedError(f"“{phase}” is an end of this transition already.", field="stage")
    transition = read_outgoing(pipeline, key)[key]
    if not pipeline.stages.filter(phase=phase).exists():
        raise GoneError(missing_stages_text([phase]))
    around = definitions.read_around(pipeline, [source, phase]).transitions
    existing = {transition_key(other.source, other.target): other for other in around}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Insert {phase} between {source} and {target}",
        patch=Patch(
            transitions=split_transition(transition, phase, existing),
            positions=room(pipeline, moves) | ({phase: at} if at else {}),
        ),
    )


def room(pipeline: Pipeline, moves: Mapping[str, Position] | None) -> dict[Key, Position | None]:
    """Return the moves of stages that exist."""
    existing = pipeline.stages.filter(phase__in=moves or ()).values_list("phase", flat=True)
    return {phase: (moves or {})[phase] for phase in existing}


def split_transition(
    transition: Transition, phase: str, existing: Mapping[TransitionKey, Transition]
) -> dict[TransitionKey, Transition | None]:
    """Return the transitions that replace one when a stage is inserted into it.

    The source decides when to take a transition, so its kind and description stay with the first
    half. The payload and the filter for the target go to the second half.
    """
    source, target = transition.source, transition.target
    first, second = transition_key(source, phase), transition_key(phase, target)
    changed: dict[TransitionKey, Transition | None] = {transition_key(source, target): None}
    if first not in existing:
        fields = {"kind": transition.kind, "description": transition.description}
        changed[first] = Transition(source=source, target=phase, **fields)
    elif transition.kind == "next":
        changed[first] = existing[first].model_copy(update={"kind": "next"})
    if second not in existing:
        has_next = any(t.source == phase and t.kind == "next" for t in existing.values())
        update = {"source": phase, "kind": "return" if has_next else "next", "description": ""}
        changed[second] = transition.model_copy(update=update)
    return changed
