"""Stages that are described in words, as the outline does, rather than drawn."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.canvas import LIMIT
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch
from designer.editor.actions.agents import new_agent, with_agent
from designer.editor.actions.topology import FIRST_PLACE, STEP_DOWN, STEP_RIGHT, StageKind
from designer.models import Pipeline
from orchestration.definition import Group, PipelineDefinition, Position, Stage, Transition


@dataclass(frozen=True, kw_only=True)
class StageDescription:
    """A stage that is to be made."""

    phase: str
    kind: StageKind = "agent"
    served_by: str = ""
    """An agent's name or id; where nobody has it, the name of one to make; empty: nobody yet."""
    source: str = ""
    """The stage that leads there; empty: none does."""


@transaction.atomic
def add_described_stage(*, pipeline: Pipeline, user: User, described: StageDescription) -> Change:
    """Add a stage as it is described, placed where it is in nobody's way.

    The first stage of a pipeline becomes its entry.
    """
    pipeline = lock(pipeline)
    old = definitions.read(pipeline)
    phase, source = described.phase, described.source
    if phase in old.stages_by_phase:
        raise RefusedError(f"There is a stage “{phase}” already.", field="phase")
    if source and source not in old.stages_by_phase:
        raise GoneError(f"There is no stage “{source}” any more.")
    new, agent_id = _with_servant(old, described.served_by)
    group = Group(agents=(agent_id,)) if agent_id and described.kind == "group" else None
    stage = Stage(
        phase=phase,
        kind=described.kind,
        agent_id=agent_id if described.kind == "agent" else None,
        group=group,
    )
    ways = new.transitions
    if source:
        has_next = any(way.kind == "next" for way in new.transitions_from.get(source, ()))
        kind = "return" if has_next else "next"
        ways = (*ways, Transition(source=source, target=phase, kind=kind))
    places = {**new.layout.stages, phase: _free_place(old, source)}
    new = new.model_copy(
        update={
            "stages": (*new.stages, stage),
            "transitions": ways,
            "entry": new.entry if old.stages else phase,
            "layout": new.layout.model_copy(update={"stages": places}),
        }
    )
    patch = Patch.between(old, new)
    return make_edit(pipeline=pipeline, user=user, label=f"Add stage {phase}", patch=patch)


def _with_servant(
    definition: PipelineDefinition, name: str
) -> tuple[PipelineDefinition, str | None]:
    """The definition with an agent of that name, and its id."""
    if not name:
        return definition, None
    if name in definition.agents_by_id:
        return definition, name
    called = [agent.id for agent in definition.agents if agent.name == name]
    if len(called) > 1:
        raise RefusedError(
            f"{len(called)} agents are called “{name}”: write the id of the one that you mean, "
            f"{called[0]} or {called[1]}{' or another' if len(called) > 2 else ''}.",
            field="served_by",
        )
    if called:
        return definition, called[0]
    made = new_agent(definition, name)
    return with_agent(definition, made), made.id


def _free_place(definition: PipelineDefinition, source: str) -> Position:
    """Right of the stage that leads there, or of all others; below what stands there already."""
    places = definition.layout.stages
    if not places:
        return FIRST_PLACE
    beside = places.get(source) or max(places.values(), key=lambda at: (at.x, -at.y))
    x, y = beside.x + STEP_RIGHT, beside.y
    taken = sorted(at.y for at in places.values() if abs(at.x - x) < STEP_RIGHT - 1)
    for other in taken:
        if abs(other - y) < STEP_DOWN - 1:
            y = other + STEP_DOWN
    return Position(x=min(x, LIMIT), y=min(y, LIMIT))
