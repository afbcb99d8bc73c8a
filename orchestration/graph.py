"""The pipeline as a directed graph: pure traversals, each linear in stages and transitions.

The nodes are phases; the edges are the transitions that can be taken, of both kinds. A transition
from or to a missing stage is no edge, so that it is not reported as several issues. A group has its
own graph of members and dependencies.

An **end** is a stage in which a conversation may stay: a stage without outgoing edges, or a stage
of the human. The permission to hand over to the human (`allow_human`) does not make an end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from orchestration.definition import Group, PipelineDefinition, Transition


@dataclass(frozen=True, eq=False)
class StageGraph:
    """Phases and the phases that they lead to."""

    succ: Mapping[str, Sequence[str]]
    """Targets of each phase, in canonical order."""

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
        """The graph with reversed edges."""
        sources: dict[str, list[str]] = {phase: [] for phase in self.succ}
        for source, targets in self.succ.items():
            for target in targets:
                sources[target].append(source)
        return StageGraph(sources)

    def within(self, phases: Iterable[str]) -> StageGraph:
        """Return the subgraph of these phases."""
        inside = dict.fromkeys(phases)
        return StageGraph(
            {phase: [target for target in self.succ[phase] if target in inside] for phase in inside}
        )


def can_be_taken(definition: PipelineDefinition, transition: Transition) -> bool:
    """Report whether the conversation, or in a team a task, can ever take a transition.

    In a workflow each stage leads only to its `next`, and so does a group, which cannot hand over;
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
    """Return the graph of a definition's stages and transitions, in canonical order."""
    known, outgoing = definition.stages_by_phase, definition.transitions_from
    return StageGraph(
        {phase: targets_of(definition, phase) if phase in outgoing else () for phase in known}
    )


def targets_of(definition: PipelineDefinition, phase: str) -> list[str]:
    """Return the existing stages that a stage leads to by transitions that can be taken."""
    known, outgoing = definition.stages_by_phase, definition.transitions_from.get(phase, ())
    targets = [
        each.target for each in outgoing if each.target in known and can_be_taken(definition, each)
    ]
    return list(dict.fromkeys(targets))


def can_reach(definition: PipelineDefinition, phase: str, goal: str) -> bool:
    """Report whether a stage is the goal or can reach it."""
    layer = reached = {phase}
    while layer and goal not in reached:
        layer = {target for each in layer for target in targets_of(definition, each)} - reached
        reached = reached | layer
    return goal in reached


def endless_loops(definition: PipelineDefinition) -> tuple[tuple[str, ...], ...]:
    """Return the loops without handoffs: a run that reaches one never ends.

    The `next` of a group follows without a handoff, and in a workflow the `next` of any agent.
    """
    if definition.topology == "team":
        return ()
    kinds = ("agent", "group") if definition.topology == "workflow" else ("group",)
    known, outgoing = definition.stages_by_phase, definition.transitions_from
    targets: dict[str, Sequence[str]] = {
        phase: [
            each.target for each in outgoing[phase] if each.kind == "next" and each.target in known
        ]
        for phase, stage in known.items()
        if stage.kind in kinds and phase in outgoing
    }
    return loops(StageGraph(targets).within(targets))


def group_graph(group: Group) -> StageGraph:
    """Return the graph of a group: each member leads to the members that depend on it.

    A dependency of a member on itself or on an agent outside of the group is no edge.
    """
    dependents: dict[str, list[str]] = {member: [] for member in group.agents}
    for member, dependencies in group.dependencies.items():
        for needed in dependencies:
            if needed != member and needed in dependents and member in dependents:
                dependents[needed].append(member)
    return StageGraph(dependents)


def ends(definition: PipelineDefinition, graph: StageGraph) -> frozenset[str]:
    """Return the stages in which a conversation may stay."""
    stages = definition.stages_by_phase
    return frozenset(
        [
            phase
            for phase, targets in graph.succ.items()
            if not targets or stages[phase].kind == "human"
        ]
    )


def reachable(graph: StageGraph, starts: Iterable[str]) -> frozenset[str]:
    """Return the phases that can be reached from any of `starts`, including these."""
    succ, reached = graph.succ, set(starts)
    layer = reached
    while layer:
        layer = {target for phase in layer for target in succ[phase]} - reached
        reached |= layer
    return frozenset(reached)


def leading_to(graph: StageGraph, targets: Iterable[str]) -> frozenset[str]:
    """Return the phases that can reach any of `targets`, including these."""
    return reachable(graph.reversed, targets)


def distances(graph: StageGraph, start: str) -> dict[str, int]:
    """Return the distance in transitions to each reachable phase, the start included."""
    result: dict[str, int] = {}
    layer, distance = {start}, 0
    while layer:
        result |= dict.fromkeys(layer, distance)
        layer = {target for phase in layer for target in graph.succ[phase]} - result.keys()
        distance += 1
    return result


def backward_transitions(
    definition: PipelineDefinition, graph: StageGraph | None = None
) -> frozenset[tuple[str, str]]:
    """Return the `return` transitions that lead back, as pairs of phases; the others are branches.

    A transition leads back if its target can reach its source and comes before it: the target is
    nearer to the entry, or the `next` transitions lead from it to the source and it can be reached
    without the source. So this depends on the graph only, not on the positions of the cards.
    """
    next_phase = {
        each.source: each.target for each in definition.transitions if each.kind == "next"
    }
    pairs = [(each.source, each.target) for each in definition.transitions if each.kind == "return"]
    if not pairs:
        return frozenset()
    graph = graph or stage_graph(definition)
    known = graph.succ
    returns = [(source, target) for source, target in pairs if source in known and target in known]
    loop, roots = _loops_by_phase(graph), _roots(graph, definition.entry)
    depth = _depths(graph, roots)
    depth_without: dict[str, Mapping[str, int]] = {}
    back: list[tuple[str, str]] = []
    for source, target in returns:
        if loop[source] != loop[target]:
            continue
        leads_back = source == target or depth[target] < depth[source]
        if not leads_back and _follows(next_phase, target, source):
            if source not in depth_without:
                depth_without[source] = _depths(graph, roots, without=source)
            leads_back = target in depth_without[source]
        if leads_back:
            back += [(source, target)]
    return frozenset(back)


def handoffs_to(
    graph: StageGraph, entry: str, targets: frozenset[str], groups: Collection[str] = ()
) -> int | None:
    """Return the least number of handoffs from `entry` to one of `targets`, or None.

    A stage in `groups` is left without a handoff.
    """
    succ, seen, handoffs = graph.succ, set[str](), 0
    layer = {entry}
    while layer:
        added = layer
        while groups and added:
            added = {target for each in added if each in groups for target in succ[each]} - layer
            layer |= added
        if not targets.isdisjoint(layer):
            return handoffs
        seen |= layer
        layer = {target for each in layer if each not in groups for target in succ[each]} - seen
        handoffs += 1
    return None


def loops(graph: StageGraph) -> tuple[tuple[str, ...], ...]:
    """Return the loops of the graph, sorted.

    A loop is a strongly connected component: two loops that share a stage are one. A stage that
    leads to itself is a loop, too.
    """
    import networkx as nx  # here because the import is slow

    return tuple(
        sorted(
            tuple(sorted(group))
            for group in nx.strongly_connected_components(nx.DiGraph(graph.succ))
            if len(group) > 1 or not group.isdisjoint(graph.succ[next(iter(group))])
        )
    )


def exits(graph: StageGraph, loop: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the edges that lead out of a loop, as pairs of phases."""
    inside = frozenset(loop)
    return tuple(
        (source, target)
        for source in sorted(inside)
        for target in graph.succ[source]
        if target not in inside
    )


# The following functions visit every stage at each edit, so their loops call no functions.


def _roots(graph: StageGraph, entry: str | None) -> list[str]:
    """Return the start phases: the entry, then phases without incoming transitions, then any."""
    with_source = {target for targets in graph.succ.values() for target in targets}
    first = [entry] if entry is not None and entry in graph.succ else []
    return [*first, *[phase for phase in graph.succ if phase not in with_source], *graph.succ]


def _depths(graph: StageGraph, roots: Sequence[str], without: str | None = None) -> dict[str, int]:
    """Return the distance of each phase from the first start phase that reaches it."""
    succ, depths = graph.succ, dict[str, int]()
    starts = roots if without is None else roots[: -len(succ)]
    for root in starts:
        if root in depths or root == without:
            continue
        depths[root] = 0
        queue = [root]
        for phase in queue:
            depth = depths[phase] + 1
            for target in succ[phase]:
                if target not in depths and target != without:
                    depths[target] = depth
                    queue += (target,)
    return depths


def _follows(next_phase: Mapping[str, str], phase: str, other: str) -> bool:
    """Report whether following `next` leads from a phase to another."""
    visited: dict[str, bool] = {}
    while phase in next_phase and phase not in visited:
        visited[phase] = True
        phase = next_phase[phase]
        if phase == other:
            return True
    return False


def _loops_by_phase(graph: StageGraph) -> dict[str, int]:
    """Return the number of each phase's component (Tarjan's algorithm)."""
    succ, number = graph.succ, dict[str, int]()
    lowest, done, component = dict[str, int](), dict[str, int](), dict[str, int]()
    stack: list[str] = []
    count = 0
    for root in succ:
        path = [] if root in number else [root]
        while path:
            phase = path[-1]
            if phase not in number:
                number[phase] = lowest[phase] = count
                done[phase] = 0
                count += 1
                stack += (phase,)
            for target in succ[phase][done[phase] :]:
                done[phase] += 1
                if target not in number:
                    path += (target,)
                    break
                if target not in component and number[target] < lowest[phase]:
                    lowest[phase] = number[target]
            else:
                del path[-1]
                if path and lowest[phase] < lowest[path[-1]]:
                    lowest[path[-1]] = lowest[phase]
                while lowest[phase] == number[phase] and phase not in component:
                    component[stack[-1]] = number[phase]
                    del stack[-1]
    return component
