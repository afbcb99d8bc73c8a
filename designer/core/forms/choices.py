"""The stages and agents that can be picked. Where they are many, a page asks for them when it does.

What is shown of one stage would otherwise grow with the whole pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from orchestration.definition import PipelineDefinition, Stage

Choice = tuple[str, str]
"""Submitted value and label."""

MOST_AT_ONCE = 40
"""Number of stages or agents that a list contains at first."""


@dataclass(frozen=True, slots=True)
class Many:
    """Choices that grow with the pipeline, and how a page asks for them."""

    choices: list[Choice]
    kind: str
    of: str

    @property
    def are_left_out(self) -> bool:
        """True if a list begins without them."""
        return len(self.choices) > MOST_AT_ONCE

    @property
    def query(self) -> str:
        """Query that fetches the remaining options."""
        asked = {"field": self.kind, "of": self.of}
        return urlencode({name: value for name, value in asked.items() if value})


def many(definition: PipelineDefinition, kind: str, of: str = "") -> Many:
    """The choices of a kind; those of some kinds are another stage's each."""
    return Many(KINDS[kind](definition, of), kind, of)


def written(choices: Iterable[Choice], picked: str | None = None) -> SafeString:
    """The choices as options. In one go: Django renders a template for every one of them."""
    return format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        (
            (key, mark_safe(" selected") if str(key) == picked else "", label)
            for key, label in choices
        ),
    )


def _stages(definition: PipelineDefinition, of: str) -> list[Choice]:
    return [(phase, phase) for phase in definition.stages_by_phase]


def _agents(definition: PipelineDefinition, of: str) -> list[Choice]:
    return [(agent.id, agent.name) for agent in definition.agents]


def _unreached(definition: PipelineDefinition, of: str) -> list[Choice]:
    """The stages to which no way leads from this one."""
    reached = {way.target for way in definition.transitions_from.get(of, ())}
    return [pair for pair in _stages(definition, "") if pair[0] not in reached]


def _strangers(definition: PipelineDefinition, of: str) -> list[Choice]:
    """The agents that do not serve this stage."""
    stage: Stage | None = definition.stages_by_phase.get(of)
    members = set(stage.agent_ids) if stage else set()
    return [pair for pair in _agents(definition, "") if pair[0] not in members]


def _speakers(definition: PipelineDefinition, of: str) -> list[Choice]:
    """The agents, and the stages that groups serve."""
    groups = [(stage.phase, stage.phase) for stage in definition.stages if stage.group]
    return [*_agents(definition, ""), *groups]


KINDS: Mapping[str, Callable[[PipelineDefinition, str], list[Choice]]] = {
    "stages": _stages,
    "agents": _agents,
    "unreached": _unreached,
    "strangers": _strangers,
    "speakers": _speakers,
}
"""Options of a list by their kind."""
