"""Lists of stages and agents to choose from. A page loads long lists on demand.

Otherwise the form of one stage would grow with the whole pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from urllib.parse import urlencode

from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from designer.core.forms.name_order import natural_key
from orchestration.definition import HUMAN, SUPERVISOR_ACTIONS, PipelineDefinition, Stage
from orchestration.handoff import passing_tool_names

Choice = tuple[str, str]
"""Submitted value and label."""

MAX_INITIAL = 40
"""Number of stages or agents that a list contains at first."""


@dataclass(frozen=True, slots=True)
class PartChoices:
    """Choices that grow with the pipeline, with the parameters of the request that loads them."""

    choices: list[Choice]
    kind: str
    of: str

    @property
    def is_long(self) -> bool:
        """True if a list begins without these choices."""
        return len(self.choices) > MAX_INITIAL

    @property
    def query(self) -> str:
        """Query that fetches the remaining options."""
        parameters = {"field": self.kind, "of": self.of}
        return urlencode({name: value for name, value in parameters.items() if value})


def part_choices(definition: PipelineDefinition, kind: str, of: str = "") -> PartChoices:
    """Return the choices of a kind; some kinds depend on the stage `of`."""
    return PartChoices(CHOICE_KINDS[kind](definition, of), kind, of)


def render_options(choices: Iterable[Choice], picked: str | None = None) -> SafeString:
    """Render choices as `<option>` elements. Django would render a template for each of them."""
    return format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        (
            (key, mark_safe(" selected") if str(key) == picked else "", label)
            for key, label in choices
        ),
    )


def _stages(definition: PipelineDefinition, of: str) -> list[Choice]:
    return [(phase, phase) for phase in sorted(definition.stages_by_phase, key=natural_key)]


def _agents(definition: PipelineDefinition, of: str) -> list[Choice]:
    agents = sorted(definition.agents, key=lambda agent: natural_key(agent.name))
    return [(agent.id, agent.name) for agent in agents]


def _unreached(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the stages without a transition from this stage."""
    targets = {transition.target for transition in definition.transitions_from.get(of, ())}
    return [pair for pair in _stages(definition, "") if pair[0] not in targets]


def _strangers(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the agents that do not serve this stage."""
    stage: Stage | None = definition.stages_by_phase.get(of)
    members = set(stage.agent_ids) if stage else set()
    return [pair for pair in _agents(definition, "") if pair[0] not in members]


def _speakers(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the agents and the stages of groups."""
    groups = {stage.phase for stage in definition.stages if stage.group}
    stages = [pair for pair in _stages(definition, "") if pair[0] in groups]
    return [*_agents(definition, ""), *stages]


def _targets(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return everything that a cue can hand over to; the names of stages and agents are known."""
    aliases = [(alias, alias) for alias in definition.aliases]
    return [*_stages(definition, ""), *_agents(definition, ""), *aliases, (HUMAN, HUMAN)]


def _senders(definition: PipelineDefinition, of: str) -> list[Choice]:
    return [*_speakers(definition, ""), (HUMAN, HUMAN)]


def _agent_tools(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the tools of the agent `of`: its own, and those for the handoffs of its stages."""
    agent = definition.agents_by_id.get(of)
    stages = [stage.phase for stage in definition.stages if of in stage.agent_ids]
    passing = (passing_tool_names(phase, definition).values() for phase in stages)
    names = dict.fromkeys([*(agent.tools if agent else ()), *chain.from_iterable(passing)])
    if of == definition.supervisor_id:
        names |= dict.fromkeys(SUPERVISOR_ACTIONS)
    return [(name, name) for name in names if name]


def _served_stages(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the stages that the agent `of` serves; all stages, if it serves none."""
    served = {stage.phase for stage in definition.stages if of in stage.agent_ids}
    stages = _stages(definition, "")
    return [pair for pair in stages if pair[0] in served] or stages


def _intents(definition: PipelineDefinition, of: str) -> list[Choice]:
    """Return the intents that the routing rules use, except only the rule `of`."""
    others = (rule.conditions.intents or () for rule in definition.rules if rule.id != of)
    return [
        (intent, intent) for intent in sorted(set(chain.from_iterable(others)), key=natural_key)
    ]


CHOICE_KINDS: Mapping[str, Callable[[PipelineDefinition, str], list[Choice]]] = {
    "stages": _stages,
    "agents": _agents,
    "unreached": _unreached,
    "strangers": _strangers,
    "speakers": _speakers,
    "targets": _targets,
    "senders": _senders,
    "agent_tools": _agent_tools,
    "served_stages": _served_stages,
    "intents": _intents,
}
"""Options of a list by their kind."""
