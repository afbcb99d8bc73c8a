"""Pipelines of every topology, and a model with a play for each agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from orchestration.definition import Agent, Group, PipelineDefinition, Stage, Transition
from orchestration.providers.provider import ModelRequest
from tests.orchestration.conversations import PlayedModel, Turn

Play = Callable[[ModelRequest], Turn]


def model_of(plays: Mapping[str, Play]) -> PlayedModel:
    """Return a model with a play for each agent; agents without one echo their input."""

    def turn(request: ModelRequest) -> Turn:
        return plays.get(request.agent.id, echo)(request)

    return PlayedModel(turn)


def echo(request: ModelRequest) -> Turn:
    """Return `agent(last message)`."""
    return (f"{request.agent.id}({request.messages[-1].text})",)


def once(*turn: Any) -> Play:
    """Play a turn once, then answer with the result."""

    def play(request: ModelRequest) -> Turn:
        last = request.messages[-1]
        return (f"{request.agent.id} says: {last.text}",) if last.role == "tool" else turn

    return play


def agents(*ids: str, **fields: Any) -> tuple[Agent, ...]:
    """Return agents with these names."""
    return tuple(Agent(id=agent_id, name=agent_id.title(), **fields) for agent_id in ids)


def chain(*ids: str, topology: str = "workflow", **fields: Any) -> PipelineDefinition:
    """Return a stage for each agent in a line; the phase of `a` is `at-a`."""
    return PipelineDefinition.model_validate(
        {
            "name": "Chain",
            "topology": topology,
            "agents": agents(*ids),
            "stages": [Stage(phase=f"at-{agent_id}", agent_id=agent_id) for agent_id in ids],
            "transitions": [
                Transition(source=f"at-{one}", target=f"at-{two}") for one, two in pairwise(ids)
            ],
            "entry": f"at-{ids[0]}",
        }
        | fields
    )


def star(lead: str, *others: str, topology: str = "team", **fields: Any) -> PipelineDefinition:
    """Return a lead with transitions to all others, in a swarm in both directions."""
    ways = [Transition(source=f"at-{lead}", target=f"at-{one}", kind="return") for one in others]
    if topology == "swarm":
        ways = [
            Transition(source=f"at-{one}", target=f"at-{two}", kind="return")
            for one in (lead, *others)
            for two in (lead, *others)
            if one != two
        ]
    return chain(lead, *others, topology=topology, **{"transitions": ways} | fields)


def with_group(group: Group, **fields: Any) -> PipelineDefinition:
    """Return a pipeline: `first` hands over to a group, then `last` answers."""
    return PipelineDefinition.model_validate(
        {
            "name": "Panel",
            "agents": agents("first", "last", *group.agents),
            "stages": [
                Stage(phase="intake", agent_id="first"),
                Stage(phase="panel", kind="group", group=group),
                Stage(phase="verdict", agent_id="last"),
            ],
            "transitions": [
                Transition(source="intake", target="panel"),
                Transition(source="panel", target="verdict"),
            ],
            "entry": "intake",
        }
        | fields
    )
