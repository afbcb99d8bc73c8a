"""Newcomers: stages that come into being where one points, from a port or into an edge too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import Change, GoneError, lock, make_edit
from designer.definitions import Patch, Settings, transition_key
from designer.editor.actions.agents import new_agent, with_agent
from designer.editor.actions.insert_in_transition import between
from designer.editor.actions.topology import StageKind, free_phase, new_transition, read_outgoing
from designer.models import Pipeline
from orchestration.definition import Position, Stage


@dataclass(frozen=True, kw_only=True)
class NewStage:
    """A stage that is to be made."""

    at: Position
    kind: StageKind = "agent"
    agent_id: str | None = None
    """The agent of an `agent` stage; None if none is chosen yet."""
    new_agent: str | None = None
    """The name of an agent to make for it, `""`: any that is free; None: none is made."""


@transaction.atomic
def create_stage(
    *, pipeline: Pipeline, user: User, new_stage: NewStage, source: str = ""
) -> Change:
    """Add a stage that `source` leads to, if there is one: with its `next`, where it has none yet.

    The first stage of a pipeline becomes its entry.
    """
    pipeline = lock(pipeline)
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


@transaction.atomic
def insert_stage(
    *, pipeline: Pipeline, user: User, new_stage: NewStage, source: str, target: str
) -> Change:
    """Add a stage between two others, in place of the transition between them."""
    pipeline = lock(pipeline)
    key = transition_key(source, target)
    way = read_outgoing(pipeline, key)[key]
    phase, parts = _parts(pipeline, new_stage)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Insert {phase} between {source} and {target}",
        patch=Patch(**parts, transitions=between(way, phase, {})),
    )


def _parts(pipeline: Pipeline, new_stage: NewStage) -> tuple[str, dict[str, Any]]:
    """The phase that is free for a new_stage, and what comes with it, by field of a patch."""
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
