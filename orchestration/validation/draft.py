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
    """A definition under inspection; each derived fact is worked out once, when first asked for.

    A rule about parts of one kind goes through `agents`, `stages`, `transitions`, `rules` or
    `tools`: each part with its place, all of them or, in focus, those that may be other than in
    the draft before. What it looks up there is always the whole definition.
    """

    def __init__(
        self,
        definition: PipelineDefinition,
        focus: Focus | None = None,
        before: Draft | None = None,
    ) -> None:
        self.definition = definition
        self._focus = focus
        self._leads = before.graph.succ if before is not None and focus is not None else None

    @cached_property
    def agents(self) -> Sequence[tuple[int, Agent]]:
        """The agents to look at."""
        every = self.definition.agents
        return _placed(every, None if self._focus is None else self._focus.agents, "id")

    @cached_property
    def stages(self) -> Sequence[tuple[int, Stage]]:
        """The stages to look at."""
        every = self.definition.stages
        return _placed(every, None if self._focus is None else self._focus.stages, "phase")

    @cached_property
    def transitions(self) -> Sequence[tuple[int, Transition]]:
        """The transitions to look at: all from a stage, or none."""
        every = self.definition.transitions
        return _placed(every, None if self._focus is None else self._focus.stages, "source")

    @cached_property
    def rules(self) -> Sequence[tuple[int, Rule]]:
        """The routing rules to look at."""
        every = self.definition.rules
        return _placed(every, None if self._focus is None else self._focus.rules, "id")

    @cached_property
    def tools(self) -> Sequence[tuple[int, Tool]]:
        """The tools to look at."""
        every = self.definition.tools
        return _placed(every, None if self._focus is None else self._focus.tools, "name")

    @cached_property
    def graph(self) -> graph.StageGraph:
        """The graph of stages and transitions."""
        was, focus = self._leads, self._focus
        if was is None or focus is None:
            return graph.stage_graph(self.definition)
        self._leads = None
        now = {phase: graph.targets_of(self.definition, phase) for phase in self._known_in_focus}
        return graph.StageGraph(
            {
                phase: now[phase] if phase in now else was[phase]
                for phase in self.definition.stages_by_phase
            }
        )

    @property
    def _known_in_focus(self) -> Iterator[str]:
        return (stage.phase for _, stage in self.stages)

    def called(self, agent_id: str) -> str:
        """An agent as people know it: by its name, with the id where others have that name too.

        Where there is no such agent, the id is all there is.
        """
        agent = self.definition.agents_by_id.get(agent_id)
        if agent is None:
            return agent_id
        return agent.name if self._bearers[agent.name] == 1 else f"{agent.name} ({agent.id})"

    @cached_property
    def _bearers(self) -> Counter[str]:
        """Number of agents with each name."""
        return Counter(map(attrgetter("name"), self.definition.agents_by_id.values()))

    @property
    def hands_over(self) -> bool:
        """True if agents hand over and routing selects the first agent.

        A workflow and a team pass on by themselves, and every message begins at their entry.
        """
        return self.definition.topology in ("pipeline", "swarm")

    @cached_property
    def entry(self) -> str | None:
        """The entry's phase, if that stage exists."""
        entry = self.definition.entry
        return entry if entry in self.definition.stages_by_phase else None

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of every stage among the stages, by its phase."""
        return {stage.phase: place for place, stage in enumerate(self.definition.stages)}

    @cached_property
    def ways_back(self) -> AbstractSet[tuple[str, str]]:
        """The `return` transitions that lead back, and do not branch onward."""
        return graph.backward_transitions(self.definition, self.graph)

    @cached_property
    def ends(self) -> frozenset[str]:
        """The stages where a conversation may rest for good."""
        return graph.ends(self.definition, self.graph)

    @cached_property
    def distances(self) -> Mapping[str, int]:
        """Distance of each reachable stage from the entry, in transitions."""
        return {} if self.entry is None else graph.distances(self.graph, self.entry)

    @cached_property
    def lost(self) -> AbstractSet[str]:
        """The stages from which no end can be reached."""
        return self.graph.nodes - graph.leading_to(self.graph, self.ends)

    @cached_property
    def closed_loops(self) -> tuple[tuple[str, ...], ...]:
        """The loops that nothing leads out of, and in which no human answers.

        No end can be reached from any of them, and whatever they lead to is such a stage too.
        """
        return tuple(
            loop
            for loop in graph.loops(self.graph.within(self.lost))
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
        """The loops in which every stage follows the one before by itself."""
        return graph.endless_loops(self.definition)

    @cached_property
    def phases_of(self) -> Mapping[str, Sequence[str]]:
        """The phases that each agent serves alone, in canonical order."""
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
        """Every group to look at: its stage's place and phase, and the group."""
        return _groups(self.stages)

    @cached_property
    def group_phases(self) -> frozenset[str]:
        """The phases that groups serve."""
        return frozenset([phase for _, phase, _ in self._all_groups])

    @cached_property
    def groups_of(self) -> Mapping[str, Sequence[str]]:
        """The phases that each agent serves as a member of a group, in canonical order."""
        served: dict[str, list[str]] = {}
        for _, phase, group in self._all_groups:
            for agent_id in group.agents:
                served.setdefault(agent_id, []).append(phase)
        return served

    @cached_property
    def _all_groups(self) -> Sequence[tuple[int, str, Group]]:
        return _groups(enumerate(self.definition.stages))

    @cached_property
    def roving(self) -> frozenset[str]:
        """The agents that routing may pick in stages they do not serve."""
        if not self.hands_over:
            return frozenset()
        chosen = {rule.agent_id for rule in self.definition.rules}
        if self.definition.default_agent_id is not None:
            chosen.add(self.definition.default_agent_id)
        return frozenset(chosen)

    def passing_tools(self, phase: str) -> Sequence[tuple[str, str | None]]:
        """The tools by which the agent of a stage hands over or delegates.

        Each with its name and the phase of its target; the one tool of all handoffs that have none
        of their own has no phase.
        """
        if phase not in self._passing:
            self._passing[phase] = self._passing_tools(phase)
        return self._passing[phase]

    @cached_property
    def _passing(self) -> dict[str, Sequence[tuple[str, str | None]]]:
        return {}

    @cached_property
    def passing_names(self) -> frozenset[str]:
        """The names of all these tools."""
        phases = [phase for served in self.phases_of.values() for phase in served]
        return frozenset([name for phase in phases for name, _ in self.passing_tools(phase)])

    def _passing_tools(self, phase: str) -> tuple[tuple[str, str | None], ...]:
        definition, stages = self.definition, self.definition.stages_by_phase
        if phase not in stages or stages[phase].kind != "agent" or stages[phase].agent_id is None:
            return ()
        ways = [
            way
            for way in definition.transitions_from.get(phase, ())
            if way.target in stages and answering(stages[way.target]) is not None
        ]
        names = passing_tool_names(phase, definition) if ways else {}
        own = tuple(
            (names[way.target], way.target)
            for way in ways
            if way.target in names and stages[way.target].kind != "human"
        )
        if ways and self.hands_over and (definition.allow_human or len(own) < len(ways)):
            return ((shared_handoff_tool_name(definition), None), *own)
        return own

    def leads(self, phases: Collection[str], taker: str, phase: str | None) -> bool:
        """Report whether a transition leads from one of the phases to the server of a stage.

        That one is meant in a certain phase, or in any (None).
        """
        stages, succ = self.definition.stages_by_phase, self.graph.succ
        return any(
            answering(stages[target]) == taker
            for source in phases
            for target in succ.get(source, ())
            if phase is None or target == phase
        )


def _placed(
    parts: Sequence[Part], keys: Collection[str] | None, key: str
) -> Sequence[tuple[int, Part]]:
    """The parts with these keys, or all of them, each with its place."""
    if keys is None:
        return tuple(enumerate(parts))
    found = zip(range(len(parts)), parts, map(attrgetter(key), parts), strict=True)
    return tuple([(place, part) for place, part, name in found if name in keys])


def _groups(stages: Iterable[tuple[int, Stage]]) -> Sequence[tuple[int, str, Group]]:
    return tuple(
        [
            (index, stage.phase, stage.group)
            for index, stage in stages
            if stage.kind == "group" and stage.group is not None
        ]
    )


def answering(stage: Stage) -> str | None:
    """Return the server of a stage: its agent, its group, the human, or None.

    A group goes by a name that no agent can have: it takes over and hands over as one.
    """
    match stage.kind:
        case "agent":
            return stage.agent_id
        case "group":
            return f"group:{stage.phase}"
        case "human":
            return HUMAN


def about_stages(
    draft: Draft, severity: Severity, code: str, phases: AbstractSet[str], one: str, several: str
) -> Issue:
    """An issue about stages, which points to the first of them in canonical order.

    The sentence is `one` or `several`, with `{phases}` and `{entry!r}` filled in.
    """
    named = tuple(sorted(phases))
    sentence = one if len(named) == 1 else several
    message = sentence.format(phases=listed(named), entry=draft.entry)
    path = f"$.stages[{draft.places[named[0]]}]"
    return Issue(code, severity, message, Where("stage", named, path))
