"""Templates of a task system: one reads contracts, one writes letters."""

from __future__ import annotations

from typing import Any

from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.library import TaskSystem


def pipeline(name: str, agent_id: str, **fields: Any) -> PipelineDefinition:
    """A pipeline of one stage, whose agent has all its tools."""
    tools = tuple(tool.name for tool in fields.get("tools", ()))
    return PipelineDefinition(
        name=name,
        entry="work",
        agents=[Agent(id=agent_id, name=agent_id.title(), tools=tools)],
        stages=[Stage(phase="work", agent_id=agent_id)],
        **fields,
    )


CONTRACTS = pipeline("Contract review", "lawyer", description="Reads contracts and finds risks.")


LETTERS = pipeline("Letters", "writer", description="Writes letters about contracts.")


SYSTEM = TaskSystem([CONTRACTS, LETTERS])
