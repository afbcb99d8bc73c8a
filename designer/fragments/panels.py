"""The panels around the canvas: agents and tools on the left, tabs at the bottom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from designer.forms.shown import Shown
from designer.fragments.canvas import agent_id, hue_of, initial
from designer.fragments.outline import outline
from designer.fragments.problems import problems
from designer.fragments.rules import rules_panel
from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue


@dataclass(frozen=True, slots=True)
class AgentItem:
    """One agent in the left panel."""

    key: str
    name: str
    initial: str
    hue: int
    stages: int
    dom_id: str


def left_panel(definition: PipelineDefinition) -> dict[str, Any]:
    """What `editor/_agents.html` shows."""
    items = agent_items(definition, definition.agents_by_id)
    return {"agents": items, "tools": definition.tools}


def agent_items(definition: PipelineDefinition, keys: Collection[str]) -> list[AgentItem]:
    """Those of the agents that have one of the keys."""
    served = Counter(agent_id for stage in definition.stages for agent_id in stage.agent_ids)
    return [
        AgentItem(
            key=agent.id,
            name=agent.name,
            initial=initial(agent.name),
            hue=hue_of(agent.id, definition.layout.hues),
            stages=served[agent.id],
            dom_id=agent_id(agent.id),
        )
        for agent in definition.agents
        if agent.id in keys
    ]


def bottom_panel(
    definition: PipelineDefinition, issues: Sequence[Issue], shown: Shown, *, whole: bool = True
) -> dict[str, Any]:
    """What `editor/_bottom.html` shows: the problems, and what else is open.

    Without `whole` the outline is left out: an edit sends only the rows that it touched.
    """
    context: dict[str, Any] = {"panel": shown.panel, "problems": problems(definition, issues)}
    if shown.panel == "rules":
        context |= rules_panel(definition)
    elif shown.panel == "outline" and whole:
        context |= outline(definition)
    elif shown.panel == "definition":
        context["text"] = definition.dump()
    return context
