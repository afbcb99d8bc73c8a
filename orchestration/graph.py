"""The pipeline as a directed graph: pure traversals, each linear in stages and transitions.

The points are phases, the edges the transitions that can be taken, of either kind. A transition
from or to a stage that does not exist is no edge, so that one fault is not found again as another.
A group has a graph of its own: its members, and who depends on whom.

An **end** is a stage where a conversation may rest for good: one with no way on, or one that the
human serves. That any agent may hand over to the human (`allow_human`) makes no end: it is the
emergency exit, not the design.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from orchestration.definition import Group, PipelineDefinition, Transition


@dataclass(frozen=True, eq=False)
class StageGraph:
    """Phases, and where each of them leads: what there is to traverse."""

    succ: Mapping[str, Sequence[str]]
    """Every phase with those that it leads to, in canonical order."""

    @property
    def nodes(self) -> AbstractSet[str]:
        """The phases."""
        return self.succ.keys()

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The edges as pairs of phases."""
        return [(source, target) for source, targets in self.succ.items() for target in targets]

    @cached_property
    def reversed(self) -> StageGraph:
        """The same graph with every edge turned round."""
        turned: dict[str, list[str]] = {phase: [] for phase in self.succ}
        for source, targets in self.succ.items():
            for target in targets:
                turned[target].append(source)
        return StageGraph(turned)

    def within(self, phases: Iterable[str]) -> StageGraph:
        """The part of the graph that these phases make."""
        inside = dict.fromkeys(phases)
        return StageGraph(
            {phase: [one for one in self.succ[phase] if one in inside] for phase in inside}
        )


def can_be_taken(definition: PipelineDefinition, transition: Transition) -> bool:
    """Report whether the conversation, or in a team a task, can ever take a transition.

    In a workflow each stage leads to its `next` alone, and so does a group, which chooses no way;
    in a team only the agent of the entry delegates.
    """
    match definition.topology:
        case "workflow":
            return transition.kind == "next"
        case "team":
            return transition.source == definition.entry
        case "pipeline" | "swarm":
            source = definition.stages_by_phase.get(transition.source)
            return transition.kind == "next" or source is None or source.kind != "group"


def stage_graph(definition: PipelineDefinition) -> StageGraph:
    """The graph of a definition's stages and transitions, in canonical order."""
    known, leads_on = definition.stages_by_phase, definition.transitions_from
    return StageGraph(
        {phase: ways_on(definition, phase) if phase in leads_on else () for phase in known}
    )


def ways_on(definition: PipelineDefinition, phase: str) -> list[str]:
    """The stages that there are, and that a stage leads to along ways that can be taken."""
    known, found = definition.stages_by_phase, definition.transitions_from.get(phase, ())
    return list(
        dict.fromkeys(
            way.target for way in found if way.target in known and can_be_taken(definition, way)
        )
    )


def leads_to(definition: PipelineDefinition, phase: str, goal: str) -> bool:
    """Report whether a conversation in one stage is in another one, or can reach it."""
    layer = found = {phase}
    while layer and goal not in found:
        layer = {on for one in layer for on in ways_on(definition, one)} - found
        found = found | layer
    return goal in found


def endless_loops(definition: PipelineDefinition) -> tuple[tuple[str, ...], ...]:
    """The loops in which every stage follows by itself: a run that comes there never ends.

    A stage is followed without a handoff by the `next` of a group, and of any agent in a workflow.
    """
    if definition.topology == "team":
        return ()
    kinds = ("agent", "group") if definition.topology == "workflow" else ("group",)
    known, ways = definition.stages_by_phase, definition.transitions_from
    leading = [phase for phase, stage in known.items() if stage.kind in kinds and phase in ways]
    leads: dict[str, Sequence[str]] = {
        phase: [way.target for way in ways[phase] if way.kind == "next" and way.target in known]
        for phase in leading
    }
    return loops(StageGraph(leads).within(leads))


def group_graph(group: Group) -> StageGraph:
    """The members of a group in the order of registration, each leading to what depends on it.

    A dependency of a member on itself is no edge, nor is one on an agent that is no member.
    """
    leads: dict[str, list[str]] = {member: [] for member in group.agents}
    for member, wanted in group.dependencies.items():
        for needed in wanted:
            if needed != member and needed in leads and member in leads:
                leads[needed].append(member)
    return StageGraph(leads)


def ends(definition: PipelineDefinition, graph: StageGraph) -> frozenset[str]:
    """The stages where a conversation may rest for good."""
    stages = definition.stages_by_phase
    return frozenset(
        [phase for phase, leads in graph.succ.items() if not leads or stages[phase].kind == "human"]
    )


def reachable(graph: StageGraph, beginnings: Iterable[str]) -> frozenset[str]:
    """The phases a conversation that begins in any of `beginnings` can come to, those included."""
    leads, found = graph.succ, set(beginnings)
    layer = found
    while layer:
        layer = {target for phase in layer for target in leads[phase]} - found
        found |= layer
    return frozenset(found)


def leading_to(graph: StageGraph, targets: Iterable[str]) -> frozenset[str]:
    """The phases from which any of `targets` can be reached, `targets` included."""
    return reachable(graph.reversed, targets)


def distances(graph: StageGraph, beginning: str) -> dict[str, int]:
    """Return the distance in transitions to each reachable phase, the start included."""
    found: dict[str, int] = {}
    layer, away = {beginning}, 0
    while layer:
        found |= dict.fromkeys(layer, away)
        layer = {target for phase in layer for target in graph.succ[phase]} - found.keys()
        away += 1
    return found


def ways_back(
    definition: PipelineDefinition, graph: StageGraph | None = None
) -> frozenset[tuple[str, str]]:
    """The `return` transitions that lead back, as pairs of phases; the others branch onward.

    One leads back where its target leads to its source again, and comes before it: it is nearer to
    the entry, or the line of what is `next` goes from it to the source, unless nothing but the
    source leads to it. So it is told by the graph alone, wherever the cards lie.
    """
    onward = {way.source: way.target for way in definition.transitions if way.kind == "next"}
    found = [(way.source, way.target) for way in definition.transitions if way.kind == "return"]
    if not found:
        return frozenset()
    graph = graph or stage_graph(definition)
    known = graph.succ
    returns = [(source, target) for source, target in found if source in known and target in known]
    loop, roots = _loops_by_phase(graph), _roots(graph, definition.entry)
    away = _away(graph, roots)
    beside: dict[str, Mapping[str, int]] = {}
    back: list[tuple[str, str]] = []
    for source, target in returns:
        if loop[source] != loop[target]:
            continue
        leads_back = source == target or away[target] < away[source]
        if not leads_back and _follows(onward, target, source):
            if source not in beside:
                beside[source] = _away(graph, roots, without=source)
            leads_back = target in beside[source]
        if leads_back:
            back += [(source, target)]
    return frozenset(back)


def handoffs_to(
    graph: StageGraph, entry: str, targets: frozenset[str], groups: Collection[str] = ()
) -> int | None:
    """Return the least number of handoffs from `entry` to one of `targets`, or None.

    Away from a stage in `groups` no handoff leads: what is next follows by itself.
    """
    leads, seen, handoffs = graph.succ, set[str](), 0
    layer = {entry}
    while layer:
        more = layer
        while groups and more:
            more = {one for phase in more if phase in groups for one in leads[phase]} - layer
            layer |= more
        if not targets.isdisjoint(layer):
            return handoffs
        seen |= layer
        layer = {one for phase in layer if phase not in groups for one in leads[phase]} - seen
        handoffs += 1
    return None


def loops(graph: StageGraph) -> tuple[tuple[str, ...], ...]:
    """Every group of stages that can come back to themselves, each in order, all in order.

    A group is as large as can be (a strongly connected component): two loops that share a stage
    are one. A stage that names itself is a loop of one.
    """
    return tuple(
        sorted(
            tuple(sorted(group))
            for group in nx.strongly_connected_components(nx.DiGraph(graph.succ))
            if len(group) > 1 or not group.isdisjoint(graph.succ[next(iter(group))])
        )
    )


def ways_out(graph: StageGraph, loop: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The edges that lead out of a loop, as pairs of phases."""
    inside = frozenset(loop)
    return tuple(
        (source, target)
        for source in sorted(inside)
        for target in graph.succ[source]
        if target not in inside
    )


# The following look at every stage in each edit: they call nothing within their loops.


def _roots(graph: StageGraph, entry: str | None) -> list[str]:
    """Return the start phases: the entry, then phases without incoming transitions, then any."""
    led_to = {target for targets in graph.succ.values() for target in targets}
    first = [entry] if entry is not None and entry in graph.succ else []
    return [*first, *[phase for phase in graph.succ if phase not in led_to], *graph.succ]


def _away(graph: StageGraph, roots: Sequence[str], without: str | None = None) -> dict[str, int]:
    """Return the distance of each phase from the first start phase that reaches it."""
    leads, found = graph.succ, dict[str, int]()
    begun = roots if without is None else roots[: -len(leads)]
    for root in begun:
        if root in found or root == without:
            continue
        found[root] = 0
        layer = [root]
        for phase in layer:
            further = found[phase] + 1
            for target in leads[phase]:
                if target not in found and target != without:
                    found[target] = further
                    layer += (target,)
    return found


def _follows(onward: Mapping[str, str], phase: str, other: str) -> bool:
    """Report whether following `next` leads from a phase to another."""
    passed: dict[str, bool] = {}
    while phase in onward and phase not in passed:
        passed[phase] = True
        phase = onward[phase]
        if phase == other:
            return True
    return False


def _loops_by_phase(graph: StageGraph) -> dict[str, int]:
    """A number for each phase, the same for all that lead to one another (Tarjan's algorithm)."""
    leads, number = graph.succ, dict[str, int]()
    lowest, done, found = dict[str, int](), dict[str, int](), dict[str, int]()
    stack: list[str] = []
    count = 0
    for root in leads:
        path = [] if root in number else [root]
        while path:
            phase = path[-1]
            if phase not in number:
                number[phase] = lowest[phase] = count
                done[phase] = 0
                count += 1
                stack += (phase,)
            for target in leads[phase][done[phase] :]:
                done[phase] += 1
                if target not in number:
                    path += (target,)
                    break
                if target not in found and number[target] < lowest[phase]:
                    lowest[phase] = number[target]
            else:
                del path[-1]
                if path and lowest[phase] < lowest[path[-1]]:
                    lowest[path[-1]] = lowest[phase]
                while lowest[phase] == number[phase] and phase not in found:
                    found[stack[-1]] = number[phase]
                    del stack[-1]
    return found
