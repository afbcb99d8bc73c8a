"""Splices: a stage comes to stand between two others, in the way from the one to the other."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch, TransitionKey, transition_key
from designer.editor.actions.topology import missing_stages_text, read_outgoing
from designer.models import Pipeline
from orchestration.definition import Position, Transition


@transaction.atomic
def insert_existing_stage(
    *,
    pipeline: Pipeline,
    user: User,
    phase: str,
    source: str,
    target: str,
    at: Position | None = None,
) -> Change:
    """Put a stage between two others, in place of the transition between them; and at a place.

    What the stage leads to besides stays: where it has a `next`, its way to `target` is a `return`.
    """
    pipeline = lock(pipeline)
    key = transition_key(source, target)
    if phase in (source, target):
        raise RefusedError(f"“{phase}” is an end of this transition already.", field="stage")
    way = read_outgoing(pipeline, key)[key]
    if not pipeline.stages.filter(phase=phase).exists():
        raise GoneError(missing_stages_text([phase]))
    around = definitions.read_around(pipeline, [source, phase]).transitions
    ways = {transition_key(known.source, known.target): known for known in around}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Insert {phase} between {source} and {target}",
        patch=Patch(
            transitions=between(way, phase, ways), **({"positions": {phase: at}} if at else {})
        ),
    )


def between(
    way: Transition, phase: str, ways: Mapping[TransitionKey, Transition]
) -> dict[TransitionKey, Transition | None]:
    """Return the transitions that replace one when a stage is inserted into it.

    When to take it is the source's to decide: the kind and the description stay with the first
    half. What the target is told and shown goes with the second.
    """
    first, second = transition_key(way.source, phase), transition_key(phase, way.target)
    changed: dict[TransitionKey, Transition | None] = {transition_key(way.source, way.target): None}
    there = ways.get(first)
    if there is None:
        said = {"kind": way.kind, "description": way.description}
        changed[first] = Transition(source=way.source, target=phase, **said)
    elif way.kind == "next":
        changed[first] = there.model_copy(update={"kind": "next"})
    if second not in ways:
        leads_on = any(one.source == phase and one.kind == "next" for one in ways.values())
        told = {"source": phase, "kind": "return" if leads_on else "next", "description": ""}
        changed[second] = way.model_copy(update=told)
    return changed
