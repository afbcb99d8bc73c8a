"""Transitions of the handoffs declared by the agents of a cast (contract S-2 to S-4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.definition import InputFilter, Transition
from orchestration.exceptions import CastError
from orchestration.handoff import Filters, Handoff, handoff_transition
from orchestration.library.agent_set import Cast
from orchestration.library.agent_specs import AgentSpec, AnyAgent


def declared_transitions(
    cast: Cast, peers: Mapping[str, Handoff] | None = None, *, full_history: bool = True
) -> tuple[tuple[Transition, ...], Filters]:
    """Return the transitions from each agent to its handoff targets, with their filters.

    An agent without `handoffs` may hand over to all others. `peers` are the handoffs that all
    agents use for a target. An invalid handoff raises `CastError`.
    """
    keep = InputFilter(keep="full" if full_history else "summary")
    transitions: dict[tuple[str, str], Transition] = {}
    filters: Filters = {}
    for source in cast.agents:
        for target, handoff, own_tool in _handoffs(source, cast, peers or {}):
            ends = cast.keys[source], cast.keys[target]
            if ends in transitions:
                raise CastError(f"Agent {source!r} hands over to {target!r} twice: name it once.")
            transitions[ends] = handoff_transition(
                ends, target, handoff, own_tool=own_tool, keep=keep
            )
            if handoff is not None and handoff.filter is not None:
                filters[ends] = handoff.filter
    return tuple(transitions.values()), filters


def _handoffs(
    source: str, cast: Cast, peers: Mapping[str, Handoff]
) -> Iterator[tuple[str, Handoff | None, bool]]:
    """Yield each target of an agent with its handoff, and whether it has its own tool."""
    agent = cast.agents[source]
    declared = agent.handoffs if isinstance(agent, AgentSpec) else None
    if declared is None:
        declared = [name for name in cast.agents if name != source]
    for item in declared:
        target = _target(item, source, cast)
        if isinstance(item, Handoff):
            yield target, item, True
        else:
            handoff = peers.get(target)
            yield target, handoff, handoff is not None and handoff.has_own_tool


def _target(item: AnyAgent | str | Handoff, source: str, cast: Cast) -> str:
    """Return the caller's name of a target: of a handoff, an agent or a name."""
    target = item.agent if isinstance(item, Handoff) else item
    names = [name for name, agent in cast.agents.items() if agent is target]
    if len(names) > 1:
        raise CastError(
            f"Agent {source!r} hands over to an agent with the names {names}: use one of the names."
        )
    name = names[0] if names else target if isinstance(target, str) else target.name
    if name not in cast.agents:
        raise CastError(
            f"Agent {source!r} hands over to {name!r}, which does not exist. "
            f"Known: {cast.known_names()}."
        )
    if name == source:
        raise CastError(f"Agent {source!r} hands over to itself: name other agents.")
    return name
