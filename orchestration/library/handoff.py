"""Transitions of the handoffs that a program declares (contract E-1 to E-3, S-3 and S-4).

A handoff becomes a transition of the definition, so its tool is the engine's own, and only a call
of that tool in the same turn hands over. No text is searched for a handoff's `sentinel`: it is the
tool's result if something other than the engine runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.definition import InputFilter, Transition
from orchestration.exceptions import CastError
from orchestration.handoff import Filters, Handoff, handoff_transition
from orchestration.library.agent_set import Cast
from orchestration.library.agent_specs import AgentSpec, AnyAgent


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
            ways[ends] = handoff_transition(ends, target, edge, own_tool=own, keep=keep)
            if edge is not None and edge.filter is not None:
                filters[ends] = edge.filter
    return tuple(ways.values()), filters


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
