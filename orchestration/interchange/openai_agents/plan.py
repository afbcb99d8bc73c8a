"""Plan of the module `agents.py`: a variable for each agent of each stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from orchestration.definition import PipelineDefinition, Stage, Tool, Transition
from orchestration.handoff import delegate_tool_names, transfer_tool_names
from orchestration.interchange.project import ToolNames, tool_names
from orchestration.interchange.python_code import identifiers

HUMAN_TOOL: Final = "transfer_to_human"
PERSON_TOOL: Final = "ask_person"

_TAKEN: Final = (
    "agent",
    "asyncio",
    "context",
    "first_agent",
    "groups",
    "handoff_filters",
    "items",
    "remove_all_tools",
    "route",
    "run",
    "runtime",
    "text",
    "tools",
)
"""Names of the generated module."""


@dataclass
class ProjectPlan:
    """Variables of a definition in `agents.py`, and the transitions that become handoffs."""

    definition: PipelineDefinition
    tools: dict[str, ToolNames] = field(init=False)
    stages: dict[str, str] = field(init=False)
    """Variables by phase."""
    members: dict[tuple[str, str], str] = field(init=False)
    """Variables of the members of groups, by phase and agent."""
    unplaced: dict[str, str] = field(init=False)
    """Variables of agents without a stage, by id."""
    agents: dict[str, str] = field(init=False)
    """The variable that is defined first for each agent; the others are its clones."""

    _handoffs: dict[str, list[tuple[Transition, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        definition = self.definition
        agents = definition.agents_by_id
        self.tools = tool_names(definition, _TAKEN)
        used = {*_TAKEN, *(each.tool for each in self.tools.values())}
        self.stages = identifiers(definition.stages_by_phase, used)
        used |= set(self.stages.values())
        self.members, self.agents = {}, {}
        for phase, stage in definition.stages_by_phase.items():
            for name in stage.agent_ids:
                if name not in agents:
                    continue
                variable = self.stages[phase]
                if stage.kind == "group":
                    variable = identifiers([f"{phase}_{name}"], used)[f"{phase}_{name}"]
                    used.add(variable)
                    self.members[phase, name] = variable
                self.agents.setdefault(name, variable)
        self.unplaced = identifiers([name for name in agents if name not in self.agents], used)
        self.agents |= self.unplaced

    @cached_property
    def guests(self) -> list[str]:
        """Agents without a stage that a rule can select: they answer in the entry stage."""
        definition = self.definition
        named = {*(each.agent_id for each in definition.rules), definition.default_agent_id}
        is_used = self.hands_over and definition.entry in self.stages
        return [name for name in self.unplaced if name in named] if is_used else []

    @cached_property
    def hands_over(self) -> bool:
        """True if agents hand over; False if they delegate or follow one another."""
        return self.definition.topology in ("pipeline", "swarm")

    @cached_property
    def filters(self) -> frozenset[str]:
        """Kinds of the filters of all handoffs."""
        if not self.hands_over:
            return frozenset()
        handoffs = [each for phase in self.stages for each, _ in self.handoffs(phase)]
        return frozenset(each.input_filter.keep for each in handoffs)

    @property
    def has_own_filters(self) -> bool:
        """True if a handoff has a filter that the SDK does not have."""
        return not self.filters.isdisjoint(("last", "summary", "matching"))

    @property
    def has_groups(self) -> bool:
        """True if a stage has a group."""
        return any(each.kind == "group" for each in self.definition.stages_by_phase.values())

    @property
    def has_functions(self) -> bool:
        """True if a tool has a function."""
        return any(each.kind != "mcp" for each in self.definition.tools_by_name.values())

    def handoffs(self, phase: str) -> Sequence[tuple[Transition, str]]:
        """Return the transitions from a stage to existing stages, each with its tool."""
        if phase not in self._handoffs:
            self._handoffs[phase] = self._named_transitions(phase)
        return self._handoffs[phase]

    @cached_property
    def following(self) -> dict[str, str]:
        """The `next` stage of each stage."""
        found: dict[str, str] = {}
        for each in self.definition.transitions:
            if each.kind == "next" and each.source in self.stages and each.target in self.stages:
                found.setdefault(each.source, each.target)
        return found

    def chain(self) -> list[str]:
        """Return the stages of a workflow in order, or nothing for a circle or another topology."""
        phase = self.definition.entry if self.definition.topology == "workflow" else None
        phases: list[str] = []
        while phase is not None and phase in self.stages:
            if phase in phases:
                return []
            phases.append(phase)
            phase = self.following.get(phase)
        return phases

    def calls_person(self, stage: Stage) -> bool:
        """Report whether the agent of a stage has the tool to hand over to a person."""
        targets = [each.target for each, _ in self.handoffs(stage.phase)]
        stages = self.definition.stages_by_phase
        return (
            self.hands_over
            and self.definition.allow_human
            and self.agent_of(stage) is not None
            and bool(targets)
            and not any(stages[each].kind == "human" for each in targets)
        )

    def agent_of(self, stage: Stage) -> str | None:
        """Return the existing agent of an agent stage."""
        is_served = stage.kind == "agent" and stage.agent_id in self.definition.agents_by_id
        return stage.agent_id if is_served else None

    def own_tools(self, agent_id: str, phase: str | None = None) -> Iterator[Tool]:
        """Yield the tools of an agent, without names that its handoffs use."""
        taken = {name for _, name in self.handoffs(phase)} if phase else ()
        for name in self.definition.agents_by_id[agent_id].tools:
            if name in self.definition.tools_by_name and name not in taken:
                yield self.definition.tools_by_name[name]

    def stage_tools(self, stage: Stage) -> list[str]:
        """Return the names of the tools of a stage's agent, except those of MCP servers."""
        if stage.kind == "human":
            return [PERSON_TOOL]
        names: list[str] = []
        if (agent_id := self.agent_of(stage)) is not None:
            own = self.own_tools(agent_id, stage.phase)
            names = [each.name for each in own if each.kind != "mcp"]
        if self.calls_person(stage):
            names.append(HUMAN_TOOL)
        if not self.hands_over:
            names += [name for _, name in self.handoffs(stage.phase)]
        return names

    def _named_transitions(self, phase: str) -> list[tuple[Transition, str]]:
        definition = self.definition
        if self.hands_over:
            names = transfer_tool_names(phase, definition)
        elif definition.topology == "team" and phase == definition.entry:
            names = delegate_tool_names(definition)
        else:
            return []
        by_target: dict[str, Transition] = {}
        for each in definition.transitions_from.get(phase, ()):
            if each.target in self.stages:
                by_target.setdefault(each.target, each)
        return [(each, names[each.target]) for each in by_target.values()]
