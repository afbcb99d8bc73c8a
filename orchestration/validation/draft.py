"""What the rules look at: a definition, and what several of them ask about its graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import product

import networkx as nx

from orchestration import graph
from orchestration.definition import HUMAN, Group, PipelineDefinition, Stage
from orchestration.naming import passing_tool_names, shared_handoff_tool_name
from orchestration.validation.issues import Issue, Severity, Where, listed


class Draft:
    """A definition under inspection; each derived fact is worked out once, when first asked for."""

    def __init__(self, definition: PipelineDefinition) -> None:
        self.definition = definition

    @cached_property
    def graph(self) -> nx.DiGraph:
        """The graph of stages and transitions."""
        return graph.stage_graph(self.definition)

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
        """How many agents have each name."""
        return Counter(agent.name for agent in self.definition.agents_by_id.values())

    @property
    def hands_over(self) -> bool:
        """Whether agents hand over, and routing says who begins.

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
    def ends(self) -> frozenset[str]:
        """The stages where a conversation may rest for good."""
        return graph.ends(self.definition, self.graph)

    @cached_property
    def distances(self) -> Mapping[str, int]:
        """How many transitions away from the entry each stage is that can be reached from there."""
        if self.entry is None:
            return {}
        return dict(nx.single_source_shortest_path_length(self.graph, self.entry))

    @cached_property
    def closed_loops(self) -> tuple[tuple[str, ...], ...]:
        """The loops that nothing leads out of, and in which no human answers."""
        return tuple(
            loop
            for loop in graph.loops(self.graph)
            if self.ends.isdisjoint(loop) and not graph.ways_out(self.graph, loop)
        )

    @cached_property
    def endless_loops(self) -> tuple[tuple[str, ...], ...]:
        """The loops in which every stage follows the one before by itself."""
        return graph.endless_loops(self.definition)

    @cached_property
    def phases_of(self) -> dict[str, tuple[str, ...]]:
        """The phases that each agent serves alone, in canonical order."""
        served: dict[str, list[str]] = {}
        for stage in self.definition.stages:
            if stage.kind == "agent" and stage.agent_id is not None:
                served.setdefault(stage.agent_id, []).append(stage.phase)
        return {agent_id: tuple(phases) for agent_id, phases in served.items()}

    @cached_property
    def groups(self) -> tuple[tuple[int, str, Group], ...]:
        """Every group that serves a stage: the stage's place and phase, and the group."""
        return tuple(
            (index, stage.phase, stage.group)
            for index, stage in enumerate(self.definition.stages)
            if stage.kind == "group" and stage.group is not None
        )

    @cached_property
    def groups_of(self) -> dict[str, tuple[str, ...]]:
        """The phases that each agent serves as a member of a group, in canonical order."""
        served: dict[str, list[str]] = {}
        for _, phase, group in self.groups:
            for agent_id in group.agents:
                served.setdefault(agent_id, []).append(phase)
        return {agent_id: tuple(phases) for agent_id, phases in served.items()}

    @cached_property
    def roving(self) -> frozenset[str]:
        """The agents that routing may pick in stages they do not serve."""
        if not self.hands_over:
            return frozenset()
        chosen = {rule.agent_id for rule in self.definition.rules}
        if self.definition.default_agent_id is not None:
            chosen.add(self.definition.default_agent_id)
        return frozenset(chosen)

    @cached_property
    def passing_tools(self) -> Mapping[str, tuple[tuple[str, str | None], ...]]:
        """The tools by which the agent of each stage hands over or delegates, by its phase.

        Each with its name and the phase of its target; the one tool of all handoffs that have none
        of their own has no phase.
        """
        phases = (phase for phases in self.phases_of.values() for phase in phases)
        return {phase: found for phase in phases if (found := self._passing_tools(phase))}

    @cached_property
    def passing_names(self) -> frozenset[str]:
        """The names of all these tools."""
        return frozenset(name for tools in self.passing_tools.values() for name, _ in tools)

    def _passing_tools(self, phase: str) -> tuple[tuple[str, str | None], ...]:
        definition, stages = self.definition, self.definition.stages_by_phase
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

    @cached_property
    def handoffs(self) -> frozenset[tuple[str, str | None, str, str | None]]:
        """What the transitions allow: agent, its phase, who is next, and that one's phase.

        Each stands here four times, with and without either phase (None: any), so that a question
        that names no phase is one look-up too.
        """
        stages = self.definition.stages_by_phase
        allowed: set[tuple[str, str | None, str, str | None]] = set()
        for source, target in self.graph.edges:
            giver, taker = stages[source].agent_id, answering(stages[target])
            if giver is not None and taker is not None:
                allowed.update(product((giver,), (source, None), (taker,), (target, None)))
        return frozenset(allowed)


def answering(stage: Stage) -> str | None:
    """Who answers in a stage: its agent, its group, the human, or nobody yet.

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
    draft: Draft, severity: Severity, code: str, phases: set[str], one: str, several: str
) -> Issue:
    """An issue about stages, which points to the first of them in canonical order.

    The sentence is `one` or `several`, with `{phases}` and `{entry!r}` filled in.
    """
    named = tuple(sorted(phases))
    sentence = one if len(named) == 1 else several
    message = sentence.format(phases=listed(named), entry=draft.entry)
    path = f"$.stages[{draft.places[named[0]]}]"
    return Issue(code, severity, message, Where("stage", named, path))
