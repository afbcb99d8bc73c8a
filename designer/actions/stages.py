"""Changing one stage: its phase, who serves it, and where it leads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.actions.agents import new_agent, with_agent
from designer.actions.edits import Change, GoneError, RefusedError, lock, make_edit
from designer.actions.renames import with_phase
from designer.actions.topology import StageKind
from designer.models import Pipeline
from designer.patches import Patch
from orchestration.definition import PipelineDefinition, Transition


@dataclass(frozen=True, kw_only=True)
class StageValues:
    """What the stage form says, as it is to be."""

    phase: str
    kind: StageKind | Literal["group"]
    """`group`: the stage keeps the group that it has."""
    agent_id: str | None
    new_agent: str
    """The name of an agent to make for the stage; empty: none is made."""
    next_phase: str | None
    returns: Collection[str]
    description: str


@transaction.atomic
def update_stage(*, pipeline: Pipeline, user: User, phase: str, values: StageValues) -> Change:
    """Change a stage. A new phase is written wherever the old one stood."""
    pipeline = lock(pipeline)
    old = definitions.read(pipeline)
    if phase not in old.stages_by_phase:
        raise GoneError(f"There is no stage “{phase}” any more.")
    if values.phase != phase and values.phase in old.stages_by_phase:
        raise RefusedError(f"There is a stage “{values.phase}” already.", field="phase")
    new = with_phase(old, phase, values.phase) if values.phase != phase else old
    new = _with_service(new, values)
    new = _with_ways(new, values)
    patch = Patch.between(old, new)
    return make_edit(pipeline=pipeline, user=user, label=_label(phase, values, patch), patch=patch)


def _with_service(definition: PipelineDefinition, values: StageValues) -> PipelineDefinition:
    """Who serves the stage, and its description."""
    agent_id = values.agent_id
    group = None
    if values.kind == "human":
        agent_id = None
    elif values.kind == "group":
        stage = definition.stages_by_phase[values.phase]
        if stage.kind != "group":
            raise RefusedError("The stage has no group any more.", field="agent_id")
        agent_id, group = None, stage.group
    elif values.new_agent:
        agent = new_agent(definition, values.new_agent)
        definition, agent_id = with_agent(definition, agent), agent.id
    elif agent_id and agent_id not in definition.agents_by_id:
        raise RefusedError(f"There is no agent “{agent_id}” any more.", field="agent_id")
    update = {
        "kind": values.kind,
        "agent_id": agent_id,
        "group": group,
        "description": values.description,
    }
    return definition.model_copy(
        update={
            "stages": tuple(
                stage.model_copy(update=update) if stage.phase == values.phase else stage
                for stage in definition.stages
            )
        }
    )


def _with_ways(definition: PipelineDefinition, values: StageValues) -> PipelineDefinition:
    """Where the stage leads. Ways that stay keep their descriptions."""
    known = {way.target: way for way in definition.transitions_from.get(values.phase, ())}
    wanted = dict.fromkeys(values.returns, "return")
    if values.next_phase:
        wanted[values.next_phase] = "next"
    for target in wanted:
        if target not in definition.stages_by_phase:
            field = "next_phase" if target == values.next_phase else "returns"
            raise RefusedError(f"There is no stage “{target}” any more.", field=field)
    ways = [
        known[target].model_copy(update={"kind": kind})
        if target in known
        else Transition.model_validate({"source": values.phase, "target": target, "kind": kind})
        for target, kind in wanted.items()
    ]
    others = (way for way in definition.transitions if way.source != values.phase)
    return definition.model_copy(update={"transitions": (*others, *ways)})


def _label(phase: str, values: StageValues, patch: Patch) -> str:
    if values.phase != phase:
        return f"Rename stage {phase} → {values.phase}"
    if patch.agents:
        return f"Give stage {phase} the new agent {values.new_agent}"
    if patch.transitions and not patch.stages:
        return f"Change where {phase} leads"
    return f"Change stage {phase}"
