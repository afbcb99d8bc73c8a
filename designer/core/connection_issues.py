"""Agents and tools whose connection is not there: their pipeline cannot be rehearsed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from django.contrib.auth.models import User
from django.db.models import Q

from designer.core.owner_connections import offered_to, tool_connections
from designer.models import Agent as AgentRow
from designer.models import Pipeline
from orchestration.definition import Agent, PipelineDefinition, Tool
from orchestration.validation import Issue, error

CODE = "provider-not-connected"

ALWAYS = ("default", "scripted")
"""The providers that every server has."""


def find_unconnected(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    subtasks: Iterable[PipelineDefinition] = (),
) -> list[Issue]:
    """List the missing connections that block a rehearsal of an owner's pipeline.

    A definition from elsewhere may name what this server has not, so that it is no fault of the
    design: it stands in the way of nothing but a rehearsal.
    """
    named = [(one, [*_of_agents(one), *_of_tools(one)]) for one in (definition, *subtasks)]
    if not any(needs for _, needs in named):
        return []  # and nothing is asked of the database
    offered, reached = offered_to(pipeline.owner_id), tool_connections(pipeline.owner_id)
    there: dict[str, Collection[str]] = {"": offered.models, **reached}
    owner = "you have" if pipeline.owner_id == user.pk else "the owner of this pipeline has"
    found = []
    for one, needs in named:
        for kind, key, of, name, said, path in needs:
            if name in there[of]:
                continue
            sentence = f"{said}, and {owner} no connection of that name."
            if one is definition:
                found.append(error(CODE, sentence, kind, (key,), path))
            else:
                within = f"In the pipeline {one.name!r}: {sentence[0].lower()}{sentence[1:]}"
                found.append(error(CODE, within, "pipeline", (), "$"))
    return found


def pipelines_asking_others(owner_id: int) -> list[int]:
    """The ids of an owner's pipelines in which some agent asks for what is not connected."""
    names = offered_to(owner_id).names
    others = ~Q(provider__in=names) | ~Q(fallback__in=["", *names])
    rows = AgentRow.objects.filter(others, pipeline__owner=owner_id)
    return list(rows.values_list("pipeline", flat=True).distinct())


_Need = tuple[Literal["agent", "tool"], str, str, str, str, str]
"""The kind of part, its key, the kind of tool it is if it is one, the connection that it names,
what is said of that, and where it stands."""


def _of_agents(definition: PipelineDefinition) -> Iterator[_Need]:
    """Yield the providers that the reachable agents name."""
    asked = {key for stage in definition.stages for key in stage.agent_ids}
    asked |= {rule.agent_id for rule in definition.rules} | {definition.default_agent_id or ""}
    for place, agent in enumerate(definition.agents):
        if agent.id not in asked:
            continue
        for field, name in _named(agent).items():
            verb = "asks" if field == "provider" else "falls back on"
            said = f"Agent {agent.name!r} {verb} the provider {name!r}"
            yield "agent", agent.id, "", name, said, f"$.agents[{place}].{field}"


def _named(agent: Agent) -> dict[str, str]:
    """Return an agent's provider and fallback, except those that every server has."""
    asked = {"provider": agent.provider, "fallback": agent.fallback or ""}
    return {field: name for field, name in asked.items() if name not in ("", *ALWAYS)}


def _of_tools(definition: PipelineDefinition) -> Iterator[_Need]:
    """Tools that some agent has. Those whose examples stand in for them need no connection."""
    had = {name for agent in definition.agents for name in agent.tools}
    for place, tool in enumerate(definition.tools):
        name = _connection_of(tool)
        if name is not None and not tool.stand_in and tool.name in had:
            what = "the HTTP API" if tool.kind == "http" else "the MCP server"
            said = f"Tool {tool.name!r} goes to {what} {name!r}"
            path = f"$.tools[{place}].{tool.kind}.connection"
            yield "tool", tool.name, tool.kind, name, said, path


def _connection_of(tool: Tool) -> str | None:
    call = {"http": tool.http, "mcp": tool.mcp}.get(tool.kind)
    return call.connection if call else None
