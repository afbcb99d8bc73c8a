"""Names for the ids in events, and the start time of the trace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Self

from designer.canvas import hue_of, initial
from orchestration.definition import HUMAN, Limits, PipelineDefinition
from orchestration.graph import stage_graph

_UNQUOTED_KEY = re.compile(r"(?<![\w'-])[\w-]+(?![\w'-])")


@dataclass(frozen=True, slots=True)
class Speaker:
    """An agent, a group or the human in chat and trace."""

    name: str
    initial: str
    hue: int | None

    @classmethod
    def named(cls, name: str) -> Self:
        """Return a speaker with a name and without a hue."""
        return cls(name, initial(name), None)


@dataclass(frozen=True)
class Names:
    """Names for the ids in events, from the definition, and the start time of the trace."""

    speakers: Mapping[str, Speaker]
    started_at: datetime | None = None
    trace_url: str = ""
    """Base address of single events: `/conversations/7/events/`."""
    stages: Mapping[str, Speaker] = field(default_factory=dict)
    """Agent or group of each stage."""
    phases: frozenset[str] = frozenset()
    """Phases of all stages; a human without a stage is not drawn."""
    transitions: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Transitions from each stage: agent or group of the target, and its phase."""
    context: int = 0
    """Context limit in tokens."""
    limits: Limits = Limits()  # noqa: RUF009 - immutable, so it can be shared
    automatic: frozenset[tuple[str, str]] = frozenset()
    """Transitions without a handoff, from stage to stage."""
    ends: frozenset[str] = frozenset()
    """Stages of agents to which transitions lead, and none from them."""

    @classmethod
    def of(
        cls,
        definition: PipelineDefinition,
        *,
        started_at: datetime | None = None,
        trace_url: str = "",
    ) -> Self:
        """Return the names of a definition's agents, with their hues, and of its groups."""
        hues = definition.layout.hues
        agents = {
            agent.id: Speaker(agent.name, initial(agent.name), hue_of(agent.id, hues))
            for agent in definition.agents
        }
        groups = {
            stage.phase: Speaker.named(f"Group {stage.phase}")
            for stage in definition.stages
            if stage.kind == "group"
        }
        served = ((stage.phase, agents.get(stage.agent_id or "")) for stage in definition.stages)
        stages = {phase: speaker for phase, speaker in served if speaker} | groups
        return cls(
            speakers=groups | agents,
            started_at=started_at,
            trace_url=trace_url,
            stages=stages,
            phases=frozenset(stage.phase for stage in definition.stages),
            transitions=_transitions(definition),
            context=definition.limits.max_context_tokens,
            limits=definition.limits,
            automatic=_automatic(definition),
            ends=_ends(definition),
        )

    def of_subtask(self, definition: PipelineDefinition | None) -> Self:
        """Return the names in a subtask's pipeline, for the same trace."""
        if definition is None:
            return replace(self, speakers={}, stages={}, automatic=frozenset())
        return type(self).of(definition, started_at=self.started_at, trace_url=self.trace_url)

    def speaker(self, agent_id: str | None) -> Speaker:
        """Return the agent with an id, or the agent of a stage; None is the human."""
        if agent_id is None or agent_id == HUMAN:
            return Speaker.named("Human")
        return self.speakers.get(agent_id) or self.stages.get(agent_id) or Speaker.named(agent_id)

    def stage_speaker(self, phase: str) -> Speaker:
        """Return the agent or group of a stage; the human if there is no other."""
        return self.stages.get(phase) or self.speaker(None)

    def target_phase(self, phase: str, target: str) -> str:
        """Return the stage of a handoff's target; empty if there is no such transition."""
        return dict(self.transitions.get(phase, ())).get(target, "")

    def replace_ids(self, sentence: str) -> str:
        """Return a sentence of the engine with the agents' names in place of their ids.

        The engine writes ids for models. Quoted keys are stages or unknown names, and stay.
        """

        def name(key: re.Match[str]) -> str:
            speaker = self.speakers.get(key[0])
            return speaker.name if speaker and speaker.hue is not None else key[0]

        return _UNQUOTED_KEY.sub(name, sentence)

    def elapsed(self, at: datetime) -> str:
        """Return the time since the conversation started: `0.413`, `2:07.9`, `1:00:07`."""
        seconds = max(0.0, (at - (self.started_at or at)) / timedelta(seconds=1))
        if round(seconds, 3) < 60:
            return f"{seconds:.3f}"
        minutes, tenths = divmod(round(seconds * 10), 600)
        hours, minutes = divmod(minutes, 60)
        return (
            f"{hours}:{minutes:02}:{tenths // 10:02}" if hours else f"{minutes}:{tenths / 10:04.1f}"
        )


def _transitions(definition: PipelineDefinition) -> dict[str, tuple[tuple[str, str], ...]]:
    served = {
        stage.phase: HUMAN if stage.kind == "human" else stage.agent_id or stage.phase
        for stage in definition.stages
    }
    # Of several transitions to one agent the first counts.
    return {
        phase: tuple(
            (served.get(transition.target, ""), transition.target)
            for transition in reversed(transitions)
        )
        for phase, transitions in definition.transitions_from.items()
    }


def _automatic(definition: PipelineDefinition) -> frozenset[tuple[str, str]]:
    """Return all `next` transitions of a workflow; elsewhere those of groups, without handoffs."""
    if definition.topology == "team":
        return frozenset()
    groups = {stage.phase for stage in definition.stages if stage.kind == "group"}
    return frozenset(
        (transition.source, transition.target)
        for transition in definition.transitions
        if transition.kind == "next"
        and (definition.topology == "workflow" or transition.source in groups)
    )


def _ends(definition: PipelineDefinition) -> frozenset[str]:
    graph = stage_graph(definition)
    human = {stage.phase for stage in definition.stages if stage.kind == "human"}
    return frozenset(
        phase
        for phase, targets in graph.succ.items()
        if not targets and graph.reversed.succ[phase] and phase not in human
    )
