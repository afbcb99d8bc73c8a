"""Changing what is drawn: stages, the transitions between them, and where they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from designer import definitions
from designer.actions.edits import Change, GoneError, RefusedError, lock, make_edit
from designer.models import Pipeline
from designer.patches import Patch, Settings, transition_key
from orchestration.definition import InputFilter, Position, Stage, Transition

STEP_RIGHT = 290
"""From a stage to the one put beside it, in CSS pixels."""
FIRST_PLACE = Position(x=60, y=250)

StageKind = Literal["agent", "group", "human"]
TransitionKind = Literal["next", "return"]


@transaction.atomic
def add_stage(
    *,
    pipeline: Pipeline,
    user: User,
    at: Position | None = None,
    source: str | None = None,
    agent_id: str | None = None,
    kind: StageKind = "agent",
) -> Change:
    """Add a stage with a free phase, connected from `source` when given.

    The first stage of a pipeline becomes its entry. Without `at` it is put right of all others.
    """
    pipeline = lock(pipeline)
    if agent_id and not pipeline.agents.filter(key=agent_id).exists():
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    phase = free_key("stage", pipeline.stages.values_list("phase", flat=True))
    parts: dict[str, Any] = {
        "stages": {
            phase: Stage(phase=phase, kind=kind, agent_id=agent_id if kind == "agent" else None)
        },
        "positions": {phase: at or _place_beside(pipeline)},
    }
    if source:
        way = _way(pipeline, source, phase)
        parts["transitions"] = {transition_key(source, phase): way}
    if not pipeline.stages.exists():
        parts["settings"] = Settings(entry=phase)
    label = f"Add stage {phase}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(**parts))


@transaction.atomic
def move_stages(*, pipeline: Pipeline, user: User, to: Mapping[str, Position]) -> Change:
    """Put stages elsewhere. Those that are gone are passed over, unless all of them are."""
    pipeline = lock(pipeline)
    found = set(pipeline.stages.filter(phase__in=to).values_list("phase", flat=True))
    if not found:
        raise GoneError(_no_stages_any_more(to))
    one = next(iter(found))
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Move stage {one}" if len(found) == 1 else f"Move {len(found)} stages",
        patch=Patch(positions={phase: at for phase, at in to.items() if phase in found}),
    )


@transaction.atomic
def move_supervisor(*, pipeline: Pipeline, user: User, to: Position) -> Change:
    """Put the supervisor's card elsewhere."""
    return make_edit(
        pipeline=pipeline,
        user=user,
        label="Move the supervisor",
        patch=Patch(settings=Settings(supervisor_position=to)),
    )


@transaction.atomic
def connect(*, pipeline: Pipeline, user: User, source: str, target: str) -> Change:
    """Add a transition: the `next` of a source that has none yet, else a `return`.

    A stage may lead to itself (row O-11). The same pair twice is refused.
    """
    pipeline = lock(pipeline)
    if not pipeline.stages.filter(phase=target).exists():
        raise GoneError(_no_stages_any_more([target]))
    if pipeline.transitions.filter(source__phase=source, target__phase=target).exists():
        raise RefusedError(f"“{source}” already leads to “{target}”.", field="target")
    way = _way(pipeline, source, target)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Connect {source} → {target}",
        patch=Patch(transitions={transition_key(source, target): way}),
    )


@transaction.atomic
def update_transition(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    kind: TransitionKind,
    description: str,
    input_filter: InputFilter | None = None,
) -> Change:
    """Change a transition. One made `next` turns the old `next` of its source into a return.

    Without `input_filter` the target is shown what it was.
    """
    pipeline = lock(pipeline)
    source, _, target = key.partition(">")
    ways = _ways_from(pipeline, key)
    shown = input_filter or ways[key].input_filter
    said = {"kind": kind, "description": description, "input_filter": shown}
    changed = {key: ways[key].model_copy(update=said)}
    if kind == "next":
        for other, way in ways.items():
            if other != key and way.kind == "next":
                changed[other] = way.model_copy(update={"kind": "return"})
    label = f"Describe {source} → {target}"
    if ways[key].kind != kind:
        label = f"Make {source} → {target} {kind}"
    elif ways[key].input_filter != shown:
        label = f"Change what {target} is shown by {source}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(transitions=changed))


@transaction.atomic
def update_payload(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    schema: dict[str, Any] | None,
    tool_name: str | None,
) -> Change:
    """Change what the target of a transition needs to be told. Without that it has no own tool."""
    pipeline = lock(pipeline)
    source, _, target = key.partition(">")
    way = _ways_from(pipeline, key)[key]
    told = {"input_schema": schema, "tool_name": tool_name if schema is not None else None}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change what {target} is told by {source}",
        patch=Patch(transitions={key: way.model_copy(update=told)}),
    )


@transaction.atomic
def delete_parts(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str] = (),
    transitions: Collection[str] = (),
) -> Change:
    """Delete stages and transitions, with the transitions of the stages and the entry mark."""
    pipeline = lock(pipeline)
    definition = definitions.read(pipeline)
    gone = set(phases) & definition.stages_by_phase.keys()
    wanted = set(transitions)
    ways = [
        way
        for way in definition.transitions
        if way.source in gone
        or way.target in gone
        or transition_key(way.source, way.target) in wanted
    ]
    if not gone and not ways:
        raise GoneError("What was to be deleted is not there any more.")
    stages = tuple(stage for stage in definition.stages if stage.phase not in gone)
    places = {phase: at for phase, at in definition.layout.stages.items() if phase not in gone}
    left = definition.model_copy(
        update={
            "stages": stages,
            "transitions": tuple(way for way in definition.transitions if way not in ways),
            "entry": None if definition.entry in gone else definition.entry,
            "layout": definition.layout.model_copy(update={"stages": places}),
        }
    )
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=_deletion(sorted(gone), ways),
        patch=Patch.between(definition, left),
    )


def free_key(stem: str, taken: Iterable[str]) -> str:
    """The first of `stem-1`, `stem-2`… that nothing has."""
    others = set(taken)
    number = 1
    while f"{stem}-{number}" in others:
        number += 1
    return f"{stem}-{number}"


def _ways_from(pipeline: Pipeline, key: str) -> dict[str, Transition]:
    """The ways on from where a transition begins, by key; that one is among them."""
    source, _, target = key.partition(">")
    ways = {
        transition_key(way.source, way.target): way
        for way in definitions.read_around(pipeline, [source]).transitions
    }
    if key not in ways:
        raise GoneError(f"“{source}” does not lead to “{target}” any more.")
    return ways


def _way(pipeline: Pipeline, source: str, target: str) -> Transition:
    if not pipeline.stages.filter(phase=source).exists():
        raise GoneError(_no_stages_any_more([source]))
    has_next = pipeline.transitions.filter(source__phase=source, kind="next").exists()
    return Transition(source=source, target=target, kind="return" if has_next else "next")


def _place_beside(pipeline: Pipeline) -> Position:
    rightmost = pipeline.stages.aggregate(x=Max("x"))["x"]
    if rightmost is None:
        return FIRST_PLACE
    row = pipeline.stages.filter(x=rightmost).first()
    return Position(x=rightmost + STEP_RIGHT, y=row.y if row and row.y is not None else 0)


def _no_stages_any_more(phases: Iterable[str]) -> str:
    names = " or ".join(f"“{phase}”" for phase in sorted(phases)[:5])
    return f"There is no stage {names} any more."


def _deletion(phases: list[str], ways: list[Transition]) -> str:
    if len(phases) == 1:
        return f"Delete stage {phases[0]}"
    if phases:
        return f"Delete {len(phases)} stages"
    if len(ways) == 1:
        return f"Delete {ways[0].source} → {ways[0].target}"
    return f"Delete {len(ways)} transitions"
