"""Agents and tools with a missing connection: their pipeline cannot be rehearsed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Q

from designer.core.owner_connections import provider_choices, tool_connections
from designer.models import Agent as AgentRow
from designer.models import Pipeline
from orchestration.definition import Agent, PipelineDefinition, Tool
from orchestration.validation import Issue, error

NOT_CONNECTED = "provider-not-connected"

BUILT_IN = ("default", "scripted")
"""The providers that every server has."""


def find_connection_issues(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    subtasks: Iterable[PipelineDefinition] = (),
) -> list[Issue]:
    """List the missing connections that block a rehearsal of an owner's pipeline.

    An imported definition may name connections that this server does not have. This is not an
    error of the design: it only prevents a rehearsal.
    """
    requirements = [
        (used, [*_agent_requirements(used), *_tool_requirements(used)])
        for used in (definition, *subtasks)
    ]
    if not any(required for _, required in requirements):
        return []  # no query
    models = provider_choices(pipeline.owner_id).models
    available: dict[str, Collection[str]] = {"": models, **tool_connections(pipeline.owner_id)}
    owner = "you have" if pipeline.owner_id == user.pk else "the owner of this pipeline has"
    issues = []
    for used, required in requirements:
        for part in required:
            if part.connection in available[part.tool_kind]:
                continue
            message = f"{part.usage}, but {owner} no connection of that name."
            if used is definition:
                issues.append(error(NOT_CONNECTED, message, part.kind, (part.key,), part.path))
            else:
                prefixed = f"In the pipeline {used.name!r}: {message[0].lower()}{message[1:]}"
                issues.append(error(NOT_CONNECTED, prefixed, "pipeline", (), "$"))
    return issues


def pipelines_without_provider(owner_id: int) -> list[int]:
    """Return the ids of an owner's pipelines with an agent whose provider is not connected."""
    names = provider_choices(owner_id).names
    missing = ~Q(provider__in=names) | ~Q(fallback__in=["", *names])
    rows = AgentRow.objects.filter(missing, pipeline__owner=owner_id)
    return list(rows.values_list("pipeline", flat=True).distinct())


class _Requirement(NamedTuple):
    """A connection that a part of a definition uses."""

    kind: Literal["agent", "tool"]
    key: str
    tool_kind: str
    """Kind of a tool; empty for an agent."""
    connection: str
    usage: str
    """Beginning of the message, up to the comma."""
    path: str


def _agent_requirements(definition: PipelineDefinition) -> Iterator[_Requirement]:
    """Yield the providers that the reachable agents use."""
    reachable = {key for stage in definition.stages for key in stage.agent_ids}
    reachable |= {rule.agent_id for rule in definition.rules} | {definition.default_agent_id or ""}
    for index, agent in enumerate(definition.agents):
        if agent.id not in reachable:
            continue
        for field, name in _providers(agent).items():
            verb = "uses" if field == "provider" else "falls back on"
            usage = f"Agent {agent.name!r} {verb} the provider {name!r}"
            path = f"$.agents[{index}].{field}"
            yield _Requirement("agent", agent.id, "", name, usage, path)


def _providers(agent: Agent) -> dict[str, str]:
    """Return an agent's provider and fallback, except those that every server has."""
    providers = {"provider": agent.provider, "fallback": agent.fallback or ""}
    return {field: name for field, name in providers.items() if name not in ("", *BUILT_IN)}


def _tool_requirements(definition: PipelineDefinition) -> Iterator[_Requirement]:
    """Yield the connections of tools that agents have, except tools answered by examples."""
    used = {name for agent in definition.agents for name in agent.tools}
    for index, tool in enumerate(definition.tools):
        name = _connection_of(tool)
        if name is not None and not tool.stand_in and tool.name in used:
            service = "the HTTP API" if tool.kind == "http" else "the MCP server"
            usage = f"Tool {tool.name!r} calls {service} {name!r}"
            path = f"$.tools[{index}].{tool.kind}.connection"
            yield _Requirement("tool", tool.name, tool.kind, name, usage, path)


def _connection_of(tool: Tool) -> str | None:
    call = {"http": tool.http, "mcp": tool.mcp}.get(tool.kind)
    return call.connection if call else None
