"""Stages of a pipeline of RoomKit, which has one agent or `human` for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestration.definition import HUMAN, Agent, PipelineDefinition, Stage, Transition
from orchestration.graph import can_be_taken
from orchestration.interchange.features import is_supervised

ALL_MESSAGES = 1_000
"""Number of messages that an agent sees without a filter."""


@dataclass(frozen=True, slots=True)
class RoomStages:
    """The stages and agents that a project has."""

    values: Sequence[Mapping[str, Any]]
    """Fields of each `PipelineStage`."""
    entry: str
    agents: Sequence[Agent]
    supervisor: str | None
    default_agent: str | None
    windows: Mapping[str, int]
    """Number of messages that an agent sees, by agent."""
    written: frozenset[tuple[str, str]]
    """Transitions that the stages have, as pairs of phases."""

    @property
    def first_phase(self) -> str:
        """The stage after a first message that no rule routes.

        A person at the entry answers outside of RoomKit, which then keeps its own first phase.
        """
        phases = [each["phase"] for each in self.values if each["agent_id"] == self.default_agent]
        if self.default_agent is None:
            return "intake"
        return self.entry if self.entry in phases or not phases else phases[0]

    def description_of(self, agent_id: str) -> str | None:
        """Return the description of the only stage of an agent."""
        texts = [each.get("description") for each in self.values if each["agent_id"] == agent_id]
        return texts[0] if len(texts) == 1 else None

    def window_of(self, agent_id: str) -> int:
        """Return the number of messages that an agent sees."""
        return self.windows.get(agent_id, ALL_MESSAGES)


def room_stages(definition: PipelineDefinition) -> RoomStages:
    """Return the stages of a definition; a stage without an existing agent is left out."""
    agents = definition.agents_by_id
    served = {
        stage.phase: found
        for stage in definition.stages_by_phase.values()
        if (found := _agent_id(stage, agents)) is not None
    }
    outgoing = {
        phase: [
            each
            for each in definition.transitions_from.get(phase, ())
            if each.target in served and can_be_taken(definition, each)
        ]
        for phase in served
    }
    values = [
        _value(definition.stages_by_phase[phase], agent, outgoing[phase])
        for phase, agent in served.items()
    ]
    entry = definition.entry if definition.entry in served else next(iter(served), "")
    default = definition.default_agent_id
    first = served.get(entry)
    return RoomStages(
        values,
        entry,
        list(agents.values()),
        definition.supervisor_id if is_supervised(definition) else None,
        default if default in agents else None if first == HUMAN else first,
        _windows(served, outgoing),
        frozenset((each.source, each.target) for found in outgoing.values() for each in found),
    )


def _agent_id(stage: Stage, agents: Mapping[str, Agent]) -> str | None:
    """Return the agent of a stage: for a group its first existing member."""
    if stage.kind == "human":
        return HUMAN
    return next((each for each in stage.agent_ids if each in agents), None)


def _value(stage: Stage, agent_id: str, outgoing: Sequence[Transition]) -> dict[str, Any]:
    nexts = list(dict.fromkeys(each.target for each in outgoing if each.kind == "next"))
    returns = {each.target for each in outgoing if each.kind == "return"} | set(nexts[1:])
    found: dict[str, Any] = {"phase": stage.phase, "agent_id": agent_id}
    found |= {"next": nexts[0]} if nexts else {}
    found |= {"can_return_to": returns} if returns else {}
    return found | ({"description": stage.description} if stage.description else {})


def _windows(
    served: Mapping[str, str], outgoing: Mapping[str, Sequence[Transition]]
) -> dict[str, int]:
    """Return the windows of agents whose incoming transitions all keep the same messages."""
    kept: dict[str, set[int]] = {}
    for transitions in outgoing.values():
        for each in transitions:
            match each.input_filter.keep:
                case "last":
                    count = each.input_filter.count
                case "summary":
                    count = 1
                case _:
                    count = ALL_MESSAGES
            kept.setdefault(served[each.target], set()).add(count)
    return {agent: next(iter(counts)) for agent, counts in kept.items() if len(counts) == 1}
