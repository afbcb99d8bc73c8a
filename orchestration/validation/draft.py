"""The input of the rules: a definition with shared facts about its graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from orchestration import graph
from orchestration.definition import (
    HUMAN,
    Agent,
    Group,
    PipelineDefinition,
    Rule,
    Stage,
    Tool,
    Transition,
)
from orchestration.handoff import passing_tool_names, shared_handoff_tool_name
from orchestration.validation.changed_parts import Focus
from orchestration.validation.issues import Issue, Severity, Where, listed

Part = TypeVar("Part")


class Draft:
    """A definition with derived facts, each computed on its first use.

    A rule about one kind of parts iterates over `agents`, `stages`, `transitions`, `rules` or
    `tools`. These contain the parts with their index: all parts, or only those in the focus.
    Lookups always use the whole definition.
    """

    def __init__(
        self,
        definition: PipelineDefinition,
        focus: Focus | None = None,
        before: Draft | None = None,
    ) -> None:
        self.definition = definition
        self._focus = focus
        self._targets_before = (
            before.graph.succ if before is not None and focus is not None else None
        )

    @cached_property
    def agents(self) -> Sequence[tuple[int, Agent]]:
        """Agents to check."""
        parts = self.definition.agents
        return _indexed(parts, None if self._focus is None else self._focus.agents, "id")

    @cached_property
    def stages(self) -> Sequence[tuple[int, Stage]]:
        """Stages to check."""
        parts = self.definition.stages
        return _indexed(parts, None if self._focus is None else self._focus.stages, "phase")

    @cached_property
    def transitions(self) -> Sequence[tuple[int, Transition]]:
        """Transitions to check: all transitions from a stage, or none."""
        parts = self.definition.transitions
        return _indexed(parts, None if self._focus is None else self._focus.stages, "source")

    @cached_property
    def rules(self) -> Sequence[tuple[int, Rule]]:
        """Routing rules to check."""
        parts = self.definition.rules
        return _indexed(parts, None if self._focus is None else self._focus.rules, "id")

    @cached_property
    def tools(self) -> Sequence[tuple[int, Tool]]:
        """Tools to check."""
        parts = self.definition.tools
        return _indexed(parts, None if self._focus is None else self._focus.tools, "name")

    @cached_property
    def graph(self) -> graph.StageGraph:
        """Graph of stages and transitions."""
        was, focus = self._targets_before, self._focus
        if was is None or focus is None:
            return graph.stage_graph(self.definition)
        self._targets_before = None
        now = {phase: graph.targets_of(self.definition, phase) for phase in self._phases_in_focus}
        return graph.StageGraph(
            {
                phase: now[phase] if phase in now else was[phase]
                for phase in self.definition.stages_by_phase
            }
        )

    @property
    def _phases_in_focus(self) -> Iterator[str]:
        return (stage.phase for _, stage in self.stages)

    def agent_label(self, agent_id: str) -> str:
        """Return the name of an agent for messages; with the id if the name is not unique.

        The label of an unknown agent is its id.
        """
        agent = self.definition.agents_by_id.get(agent_id)
        if agent is None:
            return agent_id
        return agent.name if self._name_counts[agent.name] == 1 else f"{agent.name} ({agent.id})"

    @cached_property
    def agent_names(self) -> Mapping[str, str]:
        """Names of the agents by id."""
        return {agent.id: agent.name for agent in self.definition.agents}

    @cached_property
    def first_with_name(self) -> Mapping[str, str]:
        """Id of the first agent with each name."""
        return {agent.name: agent.id for agent in reversed(self.definition.agents)}

    @cached_property
    def _name_counts(self) -> Counter[str]:
        """Number of agents with each name."""
        return Counter(map(attrgetter("name"), self.definition.agents_by_id.values()))

    @property
    def hands_over(self) -> bool:
        """True if agents hand over and routing selects the first agent.

        In a workflow and in a team the topology decides, and every message begins at the entry.
        """
        return self.definition.topology in ("pipeline", "swarm")

    @cached_property
    def entry(self) -> str | None:
        """Phase of the entry, if that stage exists."""
        entry = self.definition.entry
        return entry if entry in self.definition.stages_by_phase else None

    @cached_property
    def stage_indexes(self) -> Mapping[str, int]:
        """Index of each stage by its phase."""
        return {stage.phase: index for index, stage in enumerate(self.definition.stages)}

    @cached_property
    def backward_transitions(self) -> AbstractSet[tuple[str, str]]:
        """`return` transitions that lead back and do not branch onward."""
        return graph.backward_transitions(self.definition, self.graph)

    @cached_property
    def ends(self) -> frozenset[str]:
        """Stages where a conversation may end."""
        return graph.ends(self.definition, self.graph)

    @cached_property
    def distances(self) -> Mapping[str, int]:
        """Distance of each reachable stage from the entry, in transitions."""
        return {} if self.entry is None else graph.distances(self.graph, self.entry)

    @cached_property
    def stages_without_end(self) -> AbstractSet[str]:
        """Stages from which no end can be reached."""
        return self.graph.nodes - graph.leading_to(self.graph, self.ends)

    @cached_property
    def closed_loops(self) -> tuple[tuple[str, ...], ...]:
        """Loops without a transition out of them and without a human.

        No end can be reached from their stages.
        """
        return tuple(
            loop
            for loop in graph.loops(self.graph.within(self.stages_without_end))
            if not graph.exits(self.graph, loop)
        )

    @cached_property
    def handoffs_needed(self) -> int | None:
        """Number of handoffs on the shortest path from the entry to an end; None without a path."""
        if self.entry is None:
            return None
        return graph.handoffs_to(self.graph, self.entry, self.ends, self.group_phases)

    @cached_property
    def endless_loops(self) -> tuple[tuple[str, ...], ...]:
        """Loops in which every transition is automatic."""
        return graph.endless_loops(self.definition)

    @cached_property
    def phases_of(self) -> Mapping[str, Sequence[str]]:
        """Phases that each agent serves alone, in canonical order."""
        served: dict[str, list[str]] = {}
        for stage in self.definition.stages:
            if stage.kind == "agent" and stage.agent_id is not None:
                if stage.agent_id in served:
                    served[stage.agent_id].append(stage.phase)
                else:
                    served[stage.agent_id] = [stage.phase]
        return served

    @cached_property
    def groups(self) -> Sequence[tuple[int, str, Group]]:
        """Groups to check: index and phase of the stage, and the group."""
        return _groups(self.stages)

    @cached_property
    def group_phases(self) -> frozenset[str]:
        """Phases that groups serve."""
        return frozenset([phase for _, phase, _ in self._all_groups])

    @cached_property
    def groups_of(self) -> Mapping[str, Sequence[str]]:
        """Phases that each agent serves as a member of a group, in canonical order."""
        served: dict[str, list[str]] = {}
        for _, phase, group in self._all_groups:
            for agent_id in group.agents:
                served.setdefault(agent_id, []).append(phase)
        return served

    @cached_property
    def _all_groups(self) -> Sequence[tuple[int, str, Group]]:
        return _groups(enumerate(self.definition.stages))

    @cached_property
    def routed_agents(self) -> frozenset[str]:
        """Agents that routing may select in stages that they do not serve."""
        if not self.hands_over:
            return frozenset()
        chosen = {rule.agent_id for rule in self.definition.rules}
        if self.definition.default_agent_id is not None:
            chosen.add(self.definition.default_agent_id)
        return frozenset(chosen)

    def handoff_tools(self, phase: str) -> Sequence[tuple[str, str | None]]:
        """Return the handoff and delegation tools of a stage's agent.

        Each has its name and the phase of its target; the common handoff tool has no phase.
        """
        if phase not in self._handoff_tools:
            self._handoff_tools[phase] = self._handoff_tools_of(phase)
        return self._handoff_tools[phase]

    @cached_property
    def _handoff_tools(self) -> dict[str, Sequence[tuple[str, str | None]]]:
        return {}

    @cached_property
    def all_handoff_tool_names(self) -> frozenset[str]:
        """Names of all handoff and delegation tools."""
        phases = [phase for served in self.phases_of.values() for phase in served]
        return frozenset([name for phase in phases for name, _ in self.handoff_tools(phase)])

    def _handoff_tools_of(self, phase: str) -> tuple[tuple[str, str | None], ...]:
        definition, stages = self.definition, self.definition.stages_by_phase
        if phase not in stages or stages[phase].kind != "agent" or stages[phase].agent_id is None:
            return ()
        targets = [
            transition.target
            for transition in definition.transitions_from.get(phase, ())
            if transition.target in stages and server_of(stages[transition.target]) is not None
        ]
        names = passing_tool_names(phase, definition) if targets else {}
        own = tuple(
            (names[target], target)
            for target in targets
            if target in names and stages[target].kind != "human"
        )
        if targets and self.hands_over and (definition.allow_human or len(own) < len(targets)):
            return ((shared_handoff_tool_name(definition), None), *own)
        return own

    def leads_to(self, phases: Collection[str], server: str | None, phase: str | None) -> bool:
        """Report whether a transition leads from one of the phases to a server in a phase.

        `phase` is the server's phase; None allows any.
        """
        stages, succ = self.definition.stages_by_phase, self.graph.succ
        return any(
            server_of(stages[target]) == server
            for source in phases
            for target in succ.get(source, ())
            if phase is None or target == phase
        )


def _indexed(
    parts: Sequence[Part], keys: Collection[str] | None, key: str
) -> Sequence[tuple[int, Part]]:
    """Return the parts with these keys, or all parts, each with its index."""
    if keys is None:
        return tuple(enumerate(parts))
    entries = zip(range(len(parts)), parts, map(attrgetter(key), parts), strict=True)
    return tuple([(index, part) for index, part, name in entries if name in keys])


def _groups(stages: Iterable[tuple[int, Stage]]) -> Sequence[tuple[int, str, Group]]:
    return tuple(
        [
            (index, stage.phase, stage.group)
            for index, stage in stages
            if stage.kind == "group" and stage.group is not None
        ]
    )


def server_of(stage: Stage) -> str | None:
    """Return the server of a stage: its agent, its group, the human, or None.

    The name of a group cannot be an agent's: a group takes over and hands over as a whole.
    """
    match stage.kind:
        case "agent":
            return stage.agent_id
        case "group":
            return f"group:{stage.phase}"
        case "human":
            return HUMAN


def about_stages(
    draft: Draft,
    severity: Severity,
    code: str,
    phases: AbstractSet[str],
    singular: str,
    plural: str,
) -> Issue:
    """Return an issue about stages; it points to the first of them in canonical order.

    The message is `singular` or `plural`, with `{phases}` and `{entry!r}` filled in.
    """
    keys = tuple(sorted(phases))
    sentence = singular if len(keys) == 1 else plural
    message = sentence.format(phases=listed(keys), entry=draft.entry)
    path = f"$.stages[{draft.stage_indexes[keys[0]]}]"
    return Issue(code, severity, message, Where("stage", keys, path))
