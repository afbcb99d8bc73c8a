"""Change one stage: its phase, its agents and its outgoing transitions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.editor.actions.agents import new_agent, with_agent
from designer.editor.actions.renames import with_phase
from designer.editor.actions.topology import StageKind
from designer.models import Pipeline
from orchestration.definition import MAX_GROUP, Group, PipelineDefinition, Stage, Transition


@dataclass(frozen=True, kw_only=True)
class StageValues:
    """Values of the stage form."""

    phase: str
    kind: StageKind | None
    """None keeps the current kind and agents."""
    agent_id: str | None
    new_agent: str
    """Name of an agent to create for the stage or its group; empty for none."""
    group: Group | None = None
    """Members of a `group` stage; None if none are chosen yet."""
    next_phase: str | None
    returns: Collection[str]
    description: str


@edit_action
def update_stage(*, pipeline: Pipeline, user: User, phase: str, values: StageValues) -> Change:
    """Change a stage. A new phase also replaces the old one in all references."""
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    patch = Patch.between(old, with_values(old, phase, values))
    return make_edit(pipeline=pipeline, user=user, label=_label(phase, values, patch), patch=patch)


@edit_action
def rename_stage(*, pipeline: Pipeline, user: User, phase: str, name: str) -> Change:
    """Rename a stage in all references."""
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    patch = Patch.between(old, with_name(old, phase, name))
    return make_edit(
        pipeline=pipeline, user=user, label=f"Rename stage {phase} → {name}", patch=patch
    )


@edit_action
def serve_stage(*, pipeline: Pipeline, user: User, phase: str, agent_id: str) -> Change:
    """Assign an agent to a stage, or add it to the stage's group."""
    pipeline = current_row(pipeline)
    exists = pipeline.stages.filter(phase=phase).exists()
    keys = Patch(stages={phase: None} if exists else {})
    stage = definitions.read_parts(pipeline, keys).stages.get(phase)
    if stage is None:
        raise _gone(phase)
    name = pipeline.agents.filter(key=agent_id).values_list("name", flat=True).first()
    if name is None:
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    if stage.kind == "group":
        update: dict[str, Any] = {"group": _with_member(stage.group, agent_id)}
    else:
        update = {"kind": "agent", "agent_id": agent_id}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Let {name} serve {phase}",
        patch=Patch(stages={phase: stage.model_copy(update=update)}),
    )


def with_values(
    definition: PipelineDefinition, phase: str, values: StageValues
) -> PipelineDefinition:
    """Return the definition with the values applied to a stage.

    The values refer to the stage by its old phase.
    """
    if phase not in definition.stages_by_phase:
        raise _gone(phase)
    definition = _with_agents(definition, phase, values)
    return with_name(_with_outgoing(definition, phase, values), phase, values.phase)


def with_name(definition: PipelineDefinition, phase: str, name: str) -> PipelineDefinition:
    """Return the definition with a stage renamed, or unchanged for the same name."""
    if phase not in definition.stages_by_phase:
        raise _gone(phase)
    if name == phase:
        return definition
    if name in definition.stages_by_phase:
        raise RefusedError(f"There is a stage “{name}” already.", field="phase")
    return with_phase(definition, phase, name)


def _with_agents(
    definition: PipelineDefinition, phase: str, values: StageValues
) -> PipelineDefinition:
    """Return the definition with the stage's new agents and description."""
    added = new_agent(definition, values.new_agent) if values.new_agent else None
    if added:
        definition = with_agent(definition, added)
    agent_id, group = None, None
    match values.kind:
        case None:
            stage = definition.stages_by_phase[phase]
            agent_id, group = stage.agent_id, stage.group
        case "agent":
            agent_id = added.id if added else values.agent_id
            is_unchanged = agent_id == definition.stages_by_phase[phase].agent_id
            if agent_id and agent_id not in definition.agents_by_id and not is_unchanged:
                raise RefusedError(f"There is no agent “{agent_id}” any more.", field="agent_id")
        case "group":
            stage = definition.stages_by_phase[phase]
            group = _with_member(_group(definition, stage, values), added.id if added else None)
        case "human":
            pass
    update = {
        "kind": values.kind or definition.stages_by_phase[phase].kind,
        "agent_id": agent_id,
        "group": group,
        "description": values.description,
    }
    return definition.model_copy(
        update={
            "stages": tuple(
                stage.model_copy(update=update) if stage.phase == phase else stage
                for stage in definition.stages
            )
        }
    )


def _group(definition: PipelineDefinition, stage: Stage, values: StageValues) -> Group | None:
    """Return the new group. A stage that becomes a group keeps its agent as a member."""
    group = values.group if stage.kind == "group" else _with_member(values.group, stage.agent_id)
    known = {*definition.agents_by_id, *stage.agent_ids}
    for key in group.agents if group else ():
        if key not in known:
            raise RefusedError(f"There is no agent “{key}” any more.", field="group")
    return group


def _with_member(group: Group | None, agent_id: str | None) -> Group | None:
    """Return the group with one more member, or a new group of one."""
    if agent_id is None:
        return group
    if group is None:
        return Group(agents=(agent_id,))
    if len(group.agents) == MAX_GROUP:
        raise RefusedError(f"A group has at most {MAX_GROUP} members.", field="new_agent")
    return group.model_copy(update={"agents": tuple(dict.fromkeys((*group.agents, agent_id)))})


def _with_outgoing(
    definition: PipelineDefinition, phase: str, values: StageValues
) -> PipelineDefinition:
    """Return the definition with the stage's new targets; descriptions are kept."""
    old = {t.target: t for t in definition.transitions_from.get(phase, ())}
    kinds = dict.fromkeys(values.returns, "return")
    if values.next_phase:
        kinds[values.next_phase] = "next"
    for target in kinds:
        if target not in definition.stages_by_phase:
            field = "next_phase" if target == values.next_phase else "returns"
            raise RefusedError(f"There is no stage “{target}” any more.", field=field)
    outgoing = [
        old[target].model_copy(update={"kind": kind})
        if target in old
        else Transition.model_validate({"source": phase, "target": target, "kind": kind})
        for target, kind in kinds.items()
    ]
    others = (t for t in definition.transitions if t.source != phase)
    return definition.model_copy(update={"transitions": (*others, *outgoing)})


def _gone(phase: str) -> GoneError:
    return GoneError(f"There is no stage “{phase}” any more.")


def _label(phase: str, values: StageValues, patch: Patch) -> str:
    if values.phase != phase:
        return f"Rename stage {phase} → {values.phase}"
    if patch.agents:
        return f"Give stage {phase} the new agent {values.new_agent}"
    if patch.transitions and not patch.stages:
        return f"Change where {phase} leads"
    return f"Change stage {phase}"
