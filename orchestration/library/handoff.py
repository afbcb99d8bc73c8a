"""Transitions of the handoffs that a program declares (contract E-1 to E-3, S-3 and S-4).

A handoff becomes a transition of the definition, so its tool is the engine's own, and only a call
of that tool in the same turn hands over. No text is searched for a handoff's `sentinel`: it is the
tool's result if something other than the engine runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from orchestration.conversation import Filter
from orchestration.definition import InputFilter, PipelineDefinition, Transition
from orchestration.exceptions import CastError, UnknownNameError
from orchestration.library.agent_set import Cast
from orchestration.library.agent_specs import AgentSpec, AnyAgent, Handoff, HandoffTool
from orchestration.tools import describe_faults

Filters = dict[tuple[str, str], Filter]
"""The filters of edges, by the stages they lead from and to."""


def draw(
    cast: Cast, peers: Mapping[str, Handoff] | None = None, *, full_history: bool = True
) -> tuple[tuple[Transition, ...], Filters]:
    """The ways from each agent to those it may hand over to: to all others, where it names none.

    `peers` are the edges by which everybody reaches an agent. What is wrong with an edge raises
    `CastError`.
    """
    keep = InputFilter(keep="full" if full_history else "summary")
    ways: dict[tuple[str, str], Transition] = {}
    filters: Filters = {}
    for source in cast.agents:
        for target, edge, own in _edges(source, cast, peers or {}):
            ends = cast.keys[source], cast.keys[target]
            if ends in ways:
                raise CastError(f"Agent {source!r} hands over to {target!r} twice: name it once.")
            ways[ends] = _way(ends, target, edge, own=own, keep=keep)
            if edge is not None and edge.filter is not None:
                filters[ends] = edge.filter
    return tuple(ways.values()), filters


def draw_tools(
    definition: PipelineDefinition, tools: Mapping[str, object]
) -> tuple[PipelineDefinition, Filters]:
    """The definition with a way for every `HandoffTool` among the tools of its agents.

    A definition that has them all is given back as it is. A target that serves no stage raises
    `UnknownNameError`.
    """
    edges = {name: tool.handoff for name, tool in tools.items() if isinstance(tool, HandoffTool)}
    if not edges or definition.topology not in ("pipeline", "swarm"):
        return definition, {}
    ways = {(way.source, way.target): way for way in definition.transitions}
    filters: Filters = {}
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        for name in agent.tools if agent else ():
            if name not in edges:
                continue
            edge = edges[name]
            phase, target = _served(edge, definition)
            ends = stage.phase, phase
            keep = ways[ends].input_filter if ends in ways else InputFilter()
            ways[ends] = _way(ends, target, edge, own=True, keep=keep, tool_name=name)
            if edge.filter is not None:
                filters[ends] = edge.filter
    if tuple(ways.values()) == definition.transitions:
        return definition, filters
    fields = {name: getattr(definition, name) for name in PipelineDefinition.model_fields}
    return PipelineDefinition(**fields | {"transitions": tuple(ways.values())}), filters


def _edges(
    source: str, cast: Cast, peers: Mapping[str, Handoff]
) -> Iterator[tuple[str, Handoff | None, bool]]:
    """Yield each target of an agent with its handoff, and whether it has its own tool."""
    agent = cast.agents[source]
    named = agent.handoffs if isinstance(agent, AgentSpec) else None
    if named is None:
        named = [name for name in cast.agents if name != source]
    for one in named:
        target = _target(one, source, cast)
        if isinstance(one, Handoff):
            yield target, one, True
        else:
            edge = peers.get(target)
            yield target, edge, edge is not None and edge.has_own_tool


def _target(one: AnyAgent | str | Handoff, source: str, cast: Cast) -> str:
    """The caller's name for the target of an edge, for an agent, or for what may be its name."""
    wanted = one.agent if isinstance(one, Handoff) else one
    names = [name for name, agent in cast.agents.items() if agent is wanted]
    if len(names) > 1:
        raise CastError(f"Agent {source!r} hands over to one that is both of {names}: give a name.")
    name = names[0] if names else wanted if isinstance(wanted, str) else wanted.name
    if name not in cast.agents:
        raise CastError(
            f"Agent {source!r} hands over to {name!r}, which is no agent here. "
            f"There are: {cast.known()}."
        )
    if name == source:
        raise CastError(f"Agent {source!r} hands over to itself: name the others.")
    return name


def _served(edge: Handoff, definition: PipelineDefinition) -> tuple[str, str]:
    """The stage that the target of an edge serves, and the target's name."""
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        if agent is not None and (agent.name == edge.target_name or agent.id == edge.target_id):
            return stage.phase, agent.name
    known = [stage.agent_id for stage in definition.stages if stage.agent_id]
    raise UnknownNameError("agent with a stage", edge.target_name, known=known)


def _way(
    ends: tuple[str, str],
    target: str,
    edge: Handoff | None,
    *,
    own: bool,
    keep: InputFilter,
    tool_name: str | None = None,
) -> Transition:
    """The transition of an edge, or of a plain way; `own`: with a tool of its own."""
    said = edge.given_description if edge is not None else None
    usual = f"Transfer the conversation to {target}." if own else ""
    try:
        return Transition(
            source=ends[0],
            target=ends[1],
            kind="return",
            description=said or usual,
            input_schema=edge.parameters if edge is not None and own else None,
            tool_name=tool_name or (edge.given_tool_name if edge is not None else None),
            input_filter=keep,
        )
    except ValidationError as error:
        raise CastError(f"The handoff to {target!r} cannot be: {describe_faults(error)}") from None
