"""Add, change and delete agents."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.template.defaultfilters import pluralize

from designer import definitions
from designer.canvas import HUES
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit, slug
from designer.definitions import Patch
from designer.editor.actions.renames import with_agent_id, with_agent_name
from designer.editor.actions.topology import free_key
from designer.models import Pipeline
from orchestration.definition import HUMAN, Agent, Cue, Group, PipelineDefinition, Stage


@edit_action
def add_agent(*, pipeline: Pipeline, user: User, name: str = "") -> Change:
    """Add an agent, by default with the first free name (`Agent 2`)."""
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    agent = new_agent(old, name)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Add agent {agent.name}",
        patch=Patch.between(old, with_agent(old, agent)),
    )


@edit_action
def update_agent(*, pipeline: Pipeline, user: User, agent_id: str, agent: Agent) -> Change:
    """Replace an agent except its cues. A new id also replaces the old one in all references.

    A new name also changes the id, as long as that is derived from the name and not used elsewhere.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    # Forms that other people have open refer to the agent by its id.
    is_private = not (pipeline.conversations.exists() or pipeline.memberships.exists())
    if agent.id == agent_id and is_private:
        agent = agent.model_copy(update={"id": derived_id(old, agent_id, agent.name)})
    new = with_values(old, agent_id, agent)
    renamed = agent.id != agent_id
    label = f"Rename agent {agent_id} → {agent.id}" if renamed else f"Change agent {agent.name}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch.between(old, new))


def with_values(definition: PipelineDefinition, agent_id: str, agent: Agent) -> PipelineDefinition:
    """Return the definition with the agent replaced, except its cues."""
    old = definition.agents_by_id.get(agent_id)
    if old is None:
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    if agent.id != agent_id:
        _refuse_id(definition, agent.id)
    if agent.name != old.name:
        definition = with_agent_name(definition, agent_id, agent.name)
    cues = definition.agents_by_id[agent_id].cues
    # Replace the agent under its old id: the renaming then also covers its own cues.
    new = with_agent(definition, agent.model_copy(update={"id": agent_id, "cues": cues}))
    return new if agent.id == agent_id else with_agent_id(new, agent_id, agent.id)


@edit_action
def update_cues(*, pipeline: Pipeline, user: User, agent_id: str, cues: tuple[Cue, ...]) -> Change:
    """Change the cues that the scripted provider plays for an agent."""
    pipeline = current_row(pipeline)
    exists = pipeline.agents.filter(key=agent_id).exists()
    keys = Patch(agents={agent_id: None} if exists else {})
    old = definitions.read_parts(pipeline, keys).agents.get(agent_id)
    if old is None:
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    agent = old.model_copy(update={"cues": cues})
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change the cues of {agent.name}",
        patch=Patch(agents={agent_id: agent}),
    )


@edit_action
def delete_agent(*, pipeline: Pipeline, user: User, agent_id: str) -> Change:
    """Delete an agent, and the rules and aliases that refer to it.

    Its stages stay without an agent. A group loses the member; a group without members is removed
    from its stage.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    agent = old.agents_by_id.get(agent_id)
    if agent is None:
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    hues = {key: hue for key, hue in old.layout.hues.items() if key != agent_id}
    new = old.model_copy(
        update={
            "agents": tuple(other for other in old.agents if other.id != agent_id),
            "stages": tuple(_without_agent(stage, agent_id) for stage in old.stages),
            "rules": tuple(rule for rule in old.rules if rule.agent_id != agent_id),
            "aliases": {alias: to for alias, to in old.aliases.items() if to != agent_id},
            "default_agent_id": _unless(old.default_agent_id, agent_id),
            "supervisor_id": _unless(old.supervisor_id, agent_id),
            "supervision": None if old.supervisor_id == agent_id else old.supervision,
            "layout": old.layout.model_copy(update={"hues": hues}),
        }
    )
    count = len(old.rules) - len(new.rules)
    rules = f" and {count} routing rule{pluralize(count)}" if count else ""
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Delete agent {agent.name}{rules}",
        patch=Patch.between(old, new),
    )


def new_agent(definition: PipelineDefinition, name: str) -> Agent:
    """Return an agent with this name and a free id (`Tech support`: `agent-tech-support`)."""
    taken = definition.agents_by_id
    if not name.strip():
        key = free_key("agent", taken)
        return Agent(id=key, name=f"Agent {key.removeprefix('agent-')}")
    stem = _stem(name)
    key = stem if stem != "agent" and stem not in taken else free_key(stem, taken)
    return Agent(id=key, name=name.strip())


def derived_id(definition: PipelineDefinition, agent_id: str, name: str) -> str:
    """Return the id of an agent with a new name.

    The id stays if it is not derived from the old name, or if it is used elsewhere than in stages,
    which show the agent's name.
    """
    old = definition.agents_by_id.get(agent_id)
    if old is None or old.name == name or not _is_derived(old) or _stem(name) == "agent":
        return agent_id
    others = tuple(agent for agent in definition.agents if agent.id != agent_id)
    key = new_agent(definition.model_copy(update={"agents": others}), name).id
    return agent_id if key == HUMAN or _is_used_elsewhere(definition, agent_id, key) else key


def _stem(name: str) -> str:
    return f"agent-{slug(name)[:50].strip('-_')}".rstrip("-")


def _is_derived(agent: Agent) -> bool:
    """Report whether the id of an agent is derived from its name, perhaps with a number."""
    is_numbered = agent.name == f"Agent {agent.id.removeprefix('agent-')}"
    stem = re.escape(_stem(agent.name))
    return is_numbered or re.fullmatch(rf"{stem}(-\d+)?", agent.id) is not None


def _is_used_elsewhere(definition: PipelineDefinition, agent_id: str, new_id: str) -> bool:
    """Report whether a text, or a part other than the agent and its stages, contains the id."""
    renamed = with_agent_id(definition, agent_id, new_id)
    cues = [tuple(agent.cues for agent in part.agents) for part in (definition, renamed)]
    texts = [agent.instructions for agent in definition.agents]
    texts += [stage.description for stage in definition.stages]
    texts += [transition.description for transition in definition.transitions]
    return (
        cues[0] != cues[1]
        or definition.rules != renamed.rules
        or definition.aliases != renamed.aliases
        or agent_id in (definition.default_agent_id, definition.supervisor_id)
        or any(re.search(rf"(?<![\w-]){re.escape(agent_id)}(?![\w-])", text) for text in texts)
    )


def with_agent(definition: PipelineDefinition, agent: Agent) -> PipelineDefinition:
    """Return the definition with `agent` replaced, or added with a hue of its own."""
    others = tuple(other for other in definition.agents if other.id != agent.id)
    changed = definition.model_copy(update={"agents": (*others, agent)})
    if agent.id in definition.agents_by_id:
        return changed
    used = list(definition.layout.hues.values())
    hues = {**definition.layout.hues, agent.id: min(HUES, key=used.count)}
    layout = definition.layout.model_copy(update={"hues": hues})
    return changed.model_copy(update={"layout": layout})


def _refuse_id(definition: PipelineDefinition, agent_id: str) -> None:
    if agent_id in definition.agents_by_id:
        raise RefusedError(f"There is an agent “{agent_id}” already.", field="id")
    if agent_id == HUMAN:
        raise RefusedError(f"“{HUMAN}” means the person who can take over.", field="id")


def _without_agent(stage: Stage, agent_id: str) -> Stage:
    """Return the stage without the agent."""
    if stage.agent_id == agent_id:
        return stage.model_copy(update={"agent_id": None})
    group = stage.group
    if group is None:
        return stage
    members = tuple(member for member in group.agents if member != agent_id)
    if not members:
        return stage.model_copy(update={"kind": "agent", "group": None})
    dependencies = {
        member: tuple(key for key in others if key != agent_id)
        for member, others in group.dependencies.items()
        if member != agent_id
    }
    smaller = Group(agents=members, parallel=group.parallel, dependencies=dependencies)
    return stage.model_copy(update={"group": smaller})


def _unless(key: str | None, deleted: str) -> str | None:
    return None if key == deleted else key
