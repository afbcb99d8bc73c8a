"""Creation of stages at a point of the canvas, also from a stage or inside a transition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, current_row, edit_action, make_edit
from designer.definitions import Patch, Settings, transition_key
from designer.editor.actions.agents import new_agent, with_agent
from designer.editor.actions.insert_in_transition import room, split_transition
from designer.editor.actions.topology import StageKind, free_phase, new_transition, read_outgoing
from designer.models import Pipeline
from orchestration.definition import Position, Stage


@dataclass(frozen=True, kw_only=True)
class NewStage:
    """Input for a new stage."""

    at: Position
    kind: StageKind = "agent"
    agent_id: str | None = None
    """Agent of an `agent` stage; None without a choice."""
    new_agent: str | None = None
    """Name of an agent to create for the stage; `""` for a free name; None for no agent."""


@edit_action
def create_stage(
    *, pipeline: Pipeline, user: User, new_stage: NewStage, source: str = ""
) -> Change:
    """Add a stage, with a transition from `source` unless that is empty.

    The first stage of a pipeline becomes its entry.
    """
    pipeline = current_row(pipeline)
    phase, parts = _parts(pipeline, new_stage)
    label = f"Add stage {phase}"
    if source:
        label += f" after {source}"
        parts["transitions"] = {
            transition_key(source, phase): new_transition(pipeline, source, phase)
        }
    elif not pipeline.stages.exists():
        parts["settings"] = Settings(entry=phase)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(**parts))


@edit_action
def insert_stage(
    *,
    pipeline: Pipeline,
    user: User,
    new_stage: NewStage,
    source: str,
    target: str,
    moves: Mapping[str, Position] | None = None,
) -> Change:
    """Add a stage inside a transition, which is split in two. `moves` makes room for it."""
    pipeline = current_row(pipeline)
    key = transition_key(source, target)
    transition = read_outgoing(pipeline, key)[key]
    phase, parts = _parts(pipeline, new_stage)
    parts["positions"] |= room(pipeline, moves)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Insert {phase} between {source} and {target}",
        patch=Patch(**parts, transitions=split_transition(transition, phase, {})),
    )


def _parts(pipeline: Pipeline, new_stage: NewStage) -> tuple[str, dict[str, Any]]:
    """Return a free phase, and the parts of the new stage by field of a patch."""
    parts: dict[str, Any] = {}
    agent_id = new_stage.agent_id if new_stage.kind == "agent" else None
    if agent_id and not pipeline.agents.filter(key=agent_id).exists():
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    if new_stage.new_agent is not None:
        old = definitions.read(pipeline)
        agent = new_agent(old, new_stage.new_agent)
        added = Patch.between(old, with_agent(old, agent))
        parts |= {"agents": added.agents, "hues": added.hues}
        agent_id = agent.id
    phase = free_phase(pipeline, agent_id)
    parts["positions"] = {phase: new_stage.at}
    stage = Stage(phase=phase, kind=new_stage.kind, agent_id=agent_id)
    return phase, parts | {"stages": {phase: stage}}
