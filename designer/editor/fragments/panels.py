"""The panels around the canvas: agents and tools on the left, tabs at the bottom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from designer.canvas import agent_id, hue_of, initial, list_problems
from designer.core import PageState, natural_key
from designer.definitions import Patch
from designer.editor.fragments.definition import text_part
from designer.editor.fragments.outline import outline
from designer.editor.fragments.rules import rules_panel
from orchestration.definition import Agent, PipelineDefinition
from orchestration.validation import Draft, Issue


@dataclass(frozen=True, slots=True)
class AgentItem:
    """One agent in the left panel."""

    key: str
    name: str
    initial: str
    hue: int
    stages: int
    supervises: bool
    dom_id: str


def left_panel(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `editor/panels/_agents.html`."""
    items = agent_items(definition, definition.agents_by_id)
    tools = sorted(definition.tools, key=lambda tool: natural_key(tool.name))
    return {"agents": items, "tools": tools}


def agent_items(definition: PipelineDefinition, keys: Collection[str]) -> list[AgentItem]:
    """Return the items of the agents with these keys, by name."""
    served = Counter(
        agent_id
        for stage in definition.stages
        if stage.agent_id in keys or stage.group
        for agent_id in stage.agent_ids
    )
    known = definition.agents_by_id
    return [
        AgentItem(
            key=agent.id,
            name=agent.name,
            initial=initial(agent.name),
            hue=hue_of(agent.id, definition.layout.hues),
            stages=served[agent.id],
            supervises=agent.id == definition.supervisor_id,
            dom_id=agent_id(agent.id),
        )
        for agent in sorted((known[key] for key in keys if key in known), key=_by_name)
    ]


@dataclass(frozen=True, slots=True)
class LeftChanges:
    """Changes of the left panel. A new item comes with the id of its predecessor."""

    deleted: list[str]
    """Ids of elements."""
    agents: list[AgentItem]
    new_agents: list[tuple[str, AgentItem]]
    new_tools: list[tuple[str, str]]
    """Each with the id of its predecessor; empty for the first."""


def left_changes(
    definition: PipelineDefinition, before: Patch, after: Patch, affected: Collection[str]
) -> LeftChanges:
    """Return the changes of the left panel after an edit that affects these agents' stages.

    The item of a renamed agent moves to its place by name.
    """
    new = {
        key
        for key, agent in after.agents.items()
        if agent and agent.name != getattr(before.agents[key], "name", None)
    }
    deleted = [agent_id(key) for key in after.agents if before.agents[key] and key in new]
    deleted += [agent_id(key) for key, agent in after.agents.items() if agent is None]
    deleted += [tool_id(name) for name, tool in after.tools.items() if tool is None]
    touched = {*after.agents, *after.hues, *affected} - new
    agents = [agent.id for agent in sorted(definition.agents, key=_by_name)]
    tools = sorted(definition.tools_by_name, key=natural_key)
    return LeftChanges(
        deleted=deleted,
        agents=agent_items(definition, touched),
        new_agents=[
            (_before(agents, item.key, agent_id), item) for item in agent_items(definition, new)
        ],
        new_tools=[
            (_before(tools, name, tool_id), name)
            for name in sorted((key for key, tool in after.tools.items() if tool), key=natural_key)
            if not before.tools[name]
        ],
    )


def tool_id(name: str) -> str:
    """Return the id of a tool's element in the left panel."""
    return f"tool-item-{name}"


def _by_name(agent: Agent) -> tuple[str, str]:
    return natural_key(agent.name), agent.id


def _before(keys: Sequence[str], key: str, id_of: Callable[[str], str]) -> str:
    place = keys.index(key)
    return id_of(keys[place - 1]) if place else ""


def bottom_panel(
    definition: PipelineDefinition,
    issues: Sequence[Issue],
    shown: PageState,
    *,
    draft: Draft | None = None,
    whole: bool = True,
) -> dict[str, Any]:
    """Return the context of `editor/panels/_bottom.html`: the problems and open tabs.

    Without `whole`, the outline and the definition are left out: an edit sends only changed rows,
    and marks the text as outdated.
    """
    context: dict[str, Any] = {
        "panel": shown.panel,
        "problems": list_problems(definition, issues, draft),
    }
    if shown.panel == "rules":
        context |= rules_panel(definition)
    elif shown.panel == "outline" and whole:
        context |= outline(definition)
    elif shown.panel == "definition" and whole:
        context["part"] = text_part(definition)
    return context
