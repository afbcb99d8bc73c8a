"""Structure of an exported document: its kind, its stages and their pairs.

A stage is a part of the document if it is served by an agent and a relation of the document
reaches it. All other stages, and all other parts, are data of Baton in the metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from orchestration.definition import Agent, PipelineDefinition, Stage

Pair = tuple[str, str]
Kind = Literal["Swarm", "Flow", "ManagerWorkers", "Agent", "empty"]


@dataclass(frozen=True)
class Structure:
    """Kind of a document, and the stages that are a part of it."""

    kind: Kind
    first: str | None
    """Phase of the first agent, manager or node."""
    pairs: tuple[Pair, ...]
    """Relationships, manager and worker, or steps of a flow."""
    phases: tuple[str, ...]
    """The stages, in canonical order."""


def structure_of(definition: PipelineDefinition) -> Structure:
    """Return the structure of the document of a definition.

    `Swarm` and `ManagerWorkers` need a pair, so a definition becomes its first agent if no pair, or
    none with this agent, exists.
    """
    served = dict(_served(definition))
    first = definition.entry if definition.entry in served else None
    if definition.topology == "workflow":
        return _flow(definition, served, first)
    pairs = (
        _team(definition, served) if definition.topology == "team" else _swarm(definition, served)
    )
    first = pairs[0][0] if first is None and pairs else first or next(iter(served), None)
    if not any(first in pair for pair in pairs):
        return Structure("Agent" if first else "empty", first, (), (first,) if first else ())
    joined = {first, *(phase for pair in pairs for phase in pair)}
    kind: Kind = "ManagerWorkers" if definition.topology == "team" else "Swarm"
    return Structure(kind, first, pairs, tuple(each for each in served if each in joined))


def _served(definition: PipelineDefinition) -> Iterator[tuple[str, Stage]]:
    """Yield the stages that are served by an existing agent, without duplicates of a phase."""
    seen: set[str] = set()
    agents = first_agents(definition)
    for stage in definition.stages:
        if stage.phase not in seen and is_served(stage, agents):
            yield stage.phase, stage
        seen.add(stage.phase)


def first_agents(definition: PipelineDefinition) -> dict[str, Agent]:
    """Return the first agent of each id."""
    return {agent.id: agent for agent in reversed(definition.agents)}


def is_served(stage: Stage, agents: Mapping[str, Agent]) -> bool:
    """Report whether a stage is served by an existing agent and nothing else."""
    return stage.kind == "agent" and stage.agent_id in agents and stage.group is None


def _swarm(definition: PipelineDefinition, served: Mapping[str, Stage]) -> tuple[Pair, ...]:
    """Return the pairs of agents that hand over; a group between them is passed over."""
    following = _following(definition)
    groups = {stage.phase for stage in definition.stages if stage.kind == "group"} - served.keys()
    pairs: list[Pair] = []
    for each in definition.transitions:
        target, seen = each.target, set[str]()
        while target in groups and target in following and target not in seen:
            seen.add(target)
            target = following[target]
        pairs.append((each.source, target))
    return _between(pairs, served)


def _team(definition: PipelineDefinition, served: Mapping[str, Stage]) -> tuple[Pair, ...]:
    """Return the pairs of the manager and its workers."""
    pairs = [(each.source, each.target) for each in definition.transitions]
    return _between([pair for pair in pairs if pair[0] == definition.entry], served)


def _between(pairs: Iterable[Pair], served: Mapping[str, Stage]) -> tuple[Pair, ...]:
    distinct = dict.fromkeys(pairs)
    return tuple(
        (source, target)
        for source, target in distinct
        if source in served and target in served and source != target
    )


def _following(definition: PipelineDefinition) -> dict[str, str]:
    return {each.source: each.target for each in definition.transitions if each.kind == "next"}


def _flow(
    definition: PipelineDefinition, served: Mapping[str, Stage], first: str | None
) -> Structure:
    """Return the chain of `next` transitions; stages without an agent are passed over."""
    following = _following(definition)
    chain: list[str] = []
    seen: set[str] = set()
    phase = definition.entry if definition.entry in definition.stages_by_phase else first
    phase = phase or next(iter(served), None)
    while phase is not None and phase not in seen:
        seen.add(phase)
        if phase in served:
            chain.append(phase)
        phase = following.get(phase)
    if not chain:
        return Structure("empty", None, (), ())
    pairs = tuple(pairwise(chain))
    return Structure("Flow", chain[0], pairs, tuple(each for each in served if each in seen))
