"""Creation of stages in the outline, from a description in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.editor.actions.agents import new_agent, with_agent
from designer.editor.actions.topology import StageKind, free_position
from designer.models import Pipeline
from orchestration.definition import Group, PipelineDefinition, Stage, Transition


@dataclass(frozen=True, kw_only=True)
class StageDescription:
    """Input for a new stage."""

    phase: str
    kind: StageKind = "agent"
    served_by: str = ""
    """Name or id of an agent, or the name of an agent to create; empty for no agent."""
    source: str = ""
    """Stage with a transition to the new one; empty for none."""


@edit_action
def add_described_stage(*, pipeline: Pipeline, user: User, description: StageDescription) -> Change:
    """Add a stage at a free place of the canvas.

    The first stage of a pipeline becomes its entry.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    phase, source = description.phase, description.source
    if phase in old.stages_by_phase:
        raise RefusedError(f"There is a stage “{phase}” already.", field="phase")
    if source and source not in old.stages_by_phase:
        raise GoneError(f"There is no stage “{source}” any more.")
    new, agent_id = _with_agent(old, description.served_by)
    group = Group(agents=(agent_id,)) if agent_id and description.kind == "group" else None
    stage = Stage(
        phase=phase,
        kind=description.kind,
        agent_id=agent_id if description.kind == "agent" else None,
        group=group,
    )
    transitions = new.transitions
    if source:
        has_next = any(t.kind == "next" for t in new.transitions_from.get(source, ()))
        kind = "return" if has_next else "next"
        transitions = (*transitions, Transition(source=source, target=phase, kind=kind))
    positions = {**new.layout.stages, phase: free_position(old, source)}
    new = new.model_copy(
        update={
            "stages": (*new.stages, stage),
            "transitions": transitions,
            "entry": new.entry if old.stages else phase,
            "layout": new.layout.model_copy(update={"stages": positions}),
        }
    )
    patch = Patch.between(old, new)
    return make_edit(pipeline=pipeline, user=user, label=f"Add stage {phase}", patch=patch)


def _with_agent(definition: PipelineDefinition, name: str) -> tuple[PipelineDefinition, str | None]:
    """Return the definition with an agent of this name, and the id of the agent."""
    if not name:
        return definition, None
    if name in definition.agents_by_id:
        return definition, name
    ids = [agent.id for agent in definition.agents if agent.name == name]
    if len(ids) > 1:
        raise RefusedError(
            f"{len(ids)} agents have the name “{name}”: write the id of one of them, "
            f"{ids[0]} or {ids[1]}{' or another' if len(ids) > 2 else ''}.",
            field="served_by",
        )
    if ids:
        return definition, ids[0]
    agent = new_agent(definition, name)
    return with_agent(definition, agent), agent.id
