"""Agents and tools whose connection is not there: their pipeline cannot be rehearsed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

from django.contrib.auth.models import User

from designer.connections import Offered, offered_to, tool_connections
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue
from orchestration.validation.issues import error

CODE = "provider-not-connected"


def find_unconnected(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    subtasks: Iterable[PipelineDefinition] = (),
) -> list[Issue]:
    """What bars a rehearsal since the owner of the pipeline is not connected to it.

    A definition from elsewhere may name what this server has not, so that it is no fault of the
    design: it stands in the way of nothing but a rehearsal.
    """
    offered, reached = offered_to(pipeline.owner_id), tool_connections(pipeline.owner_id)

    def unconnected(one: PipelineDefinition) -> Iterator[_Found]:
        yield from _unconnected_agents(one, offered)
        yield from _unconnected_tools(one, reached)

    owner = "you have" if pipeline.owner_id == user.pk else "the owner of this pipeline has"
    found = [
        error(CODE, f"{said}, and {owner} no connection of that name.", kind, (key,), path)
        for kind, key, said, path in unconnected(definition)
    ]
    for subtask in subtasks:
        within = f"In the pipeline {subtask.name!r}: "
        for _, _, said, _ in unconnected(subtask):
            sentence = (
                f"{within}{said[0].lower()}{said[1:]}, and {owner} no connection of that name."
            )
            found.append(error(CODE, sentence, "pipeline", (), "$"))
    return found


_Found = tuple[Literal["agent", "tool"], str, str, str]
"""The kind of part, its key, what it asks for, and where that stands."""


def _unconnected_agents(definition: PipelineDefinition, offered: Offered) -> Iterator[_Found]:
    asked = {key for stage in definition.stages for key in stage.agent_ids}
    asked |= {rule.agent_id for rule in definition.rules} | {definition.default_agent_id or ""}
    for place, agent in enumerate(definition.agents):
        if agent.id not in asked:
            continue
        for field, name in (("provider", agent.provider), ("fallback", agent.fallback)):
            if name and name not in offered.models:
                verb = "asks" if field == "provider" else "falls back on"
                said = f"Agent {agent.name!r} {verb} the provider {name!r}"
                yield "agent", agent.id, said, f"$.agents[{place}].{field}"


def _unconnected_tools(
    definition: PipelineDefinition, reached: Mapping[str, Collection[str]]
) -> Iterator[_Found]:
    """Those whose examples stand in for them, and those that nobody has, need no connection."""
    had = {name for agent in definition.agents for name in agent.tools}
    for place, tool in enumerate(definition.tools):
        call = {"http": tool.http, "mcp": tool.mcp}.get(tool.kind)
        if call is None or tool.stand_in or tool.name not in had:
            continue
        if call.connection is not None and call.connection not in reached[tool.kind]:
            what = "the HTTP API" if tool.kind == "http" else "the MCP server"
            said = f"Tool {tool.name!r} goes to {what} {call.connection!r}"
            yield "tool", tool.name, said, f"$.tools[{place}].{tool.kind}.connection"
