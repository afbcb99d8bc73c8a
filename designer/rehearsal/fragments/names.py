"""Names for the ids in events, and the start time of the trace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Self

from designer.canvas import hue_of, initial
from orchestration.definition import HUMAN, PipelineDefinition

_UNQUOTED_KEY = re.compile(r"(?<![\w'-])[\w-]+(?![\w'-])")


@dataclass(frozen=True, slots=True)
class Speaker:
    """An agent, a group or the human, as chat and trace name them."""

    name: str
    initial: str
    hue: int | None

    @classmethod
    def called(cls, name: str) -> Self:
        """Somebody, or something, of whom the name alone is known."""
        return cls(name, initial(name), None)


@dataclass(frozen=True)
class Names:
    """Names for the ids in events, from the definition, and the start time of the trace."""

    speakers: Mapping[str, Speaker]
    began: datetime | None = None
    trace_url: str = ""
    """Address of single events by their number: `/conversations/7/events/`."""
    stages: Mapping[str, Speaker] = field(default_factory=dict)
    """Server of each stage."""
    phases: frozenset[str] = frozenset()
    """The stages, the human's among them; of a human without a stage nothing is drawn."""
    ways: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """From each stage the ways on: who serves the next one, and its phase."""
    context: int = 0
    """Context limit in tokens."""
    onward: frozenset[tuple[str, str]] = frozenset()
    """The ways that a conversation goes by itself, without a handoff: from stage to stage."""

    @classmethod
    def of(
        cls, definition: PipelineDefinition, *, began: datetime | None = None, trace_url: str = ""
    ) -> Self:
        """The names of a definition's agents, with their hues, and of its groups."""
        hues = definition.layout.hues
        agents = {
            agent.id: Speaker(agent.name, initial(agent.name), hue_of(agent.id, hues))
            for agent in definition.agents
        }
        groups = {
            stage.phase: Speaker.called(f"Group {stage.phase}")
            for stage in definition.stages
            if stage.kind == "group"
        }
        alone = {stage.phase: agents.get(stage.agent_id or "") for stage in definition.stages}
        stages = {phase: speaker for phase, speaker in alone.items() if speaker} | groups
        return cls(
            speakers=groups | agents,
            began=began,
            trace_url=trace_url,
            stages=stages,
            phases=frozenset(stage.phase for stage in definition.stages),
            ways=_ways(definition),
            context=definition.limits.max_context_tokens,
            onward=_onward(definition),
        )

    def of_subtask(self, definition: PipelineDefinition | None) -> Self:
        """The names in a subtask's pipeline, of the same trace."""
        if definition is None:
            return replace(self, speakers={}, stages={}, onward=frozenset())
        return type(self).of(definition, began=self.began, trace_url=self.trace_url)

    def speaker(self, agent_id: str | None) -> Speaker:
        """The agent with this id, or who serves the stage; the human where there is none."""
        if agent_id is None or agent_id == HUMAN:
            return Speaker.called("Human")
        return self.speakers.get(agent_id) or self.stages.get(agent_id) or Speaker.called(agent_id)

    def serving(self, phase: str) -> Speaker:
        """Return the server of a stage; the human if there is no other."""
        return self.stages.get(phase) or self.speaker(None)

    def led(self, phase: str, target: str) -> str:
        """The stage that a handoff to somebody leads to; empty where no way does."""
        return dict(self.ways.get(phase, ())).get(target, "")

    def called(self, sentence: str) -> str:
        """A sentence of the engine's own, with the agents' names in place of their ids.

        The engine writes ids for the models. What it quotes is a stage, or nobody, and stays.
        """

        def name(key: re.Match[str]) -> str:
            speaker = self.speakers.get(key[0])
            return speaker.name if speaker and speaker.hue is not None else key[0]

        return _UNQUOTED_KEY.sub(name, sentence)

    def elapsed(self, at: datetime) -> str:
        """The time since the conversation began: `0.413`, `2:07.9`, `1:00:07`."""
        seconds = max(0.0, (at - (self.began or at)) / timedelta(seconds=1))
        if round(seconds, 3) < 60:
            return f"{seconds:.3f}"
        minutes, tenths = divmod(round(seconds * 10), 600)
        hours, minutes = divmod(minutes, 60)
        return (
            f"{hours}:{minutes:02}:{tenths // 10:02}" if hours else f"{minutes}:{tenths / 10:04.1f}"
        )


def _ways(definition: PipelineDefinition) -> dict[str, tuple[tuple[str, str], ...]]:
    served = {
        stage.phase: HUMAN if stage.kind == "human" else stage.agent_id or stage.phase
        for stage in definition.stages
    }
    # Of several ways to one agent the first counts.
    return {
        phase: tuple((served.get(way.target, ""), way.target) for way in reversed(ways))
        for phase, ways in definition.transitions_from.items()
    }


def _onward(definition: PipelineDefinition) -> frozenset[tuple[str, str]]:
    """In a workflow every `next`; elsewhere those of groups, which hand over to nobody."""
    if definition.topology == "team":
        return frozenset()
    groups = {stage.phase for stage in definition.stages if stage.kind == "group"}
    return frozenset(
        (way.source, way.target)
        for way in definition.transitions
        if way.kind == "next" and (definition.topology == "workflow" or way.source in groups)
    )
