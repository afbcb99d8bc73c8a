"""The pipeline as a directed graph: pure traversals, each linear in stages and transitions.

The points are phases, the edges the transitions that can be taken, of either kind. A transition
from or to a stage that does not exist is no edge, so that one fault is not found again as another.
A group has a graph of its own: its members, and who depends on whom.

An **end** is a stage where a conversation may rest for good: one with no way on, or one that the
human serves. That any agent may hand over to the human (`allow_human`) makes no end: it is the
emergency exit, not the design.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable

import networkx as nx

from orchestration.definition import Group, PipelineDefinition, Transition


def can_be_taken(definition: PipelineDefinition, transition: Transition) -> bool:
    """Whether the conversation, or in a team a task, may ever pass along a transition.

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


def follows_by_itself(definition: PipelineDefinition, transition: Transition) -> bool:
    """Whether a transition is taken without a handoff, once its source has answered."""
    source = definition.stages_by_phase.get(transition.source)
    if source is None or source.kind == "human" or transition.kind != "next":
        return False
    match definition.topology:
        case "workflow":
            return True
        case "team":
            return False
        case "pipeline" | "swarm":
            return source.kind == "group"


def stage_graph(definition: PipelineDefinition) -> nx.DiGraph:
    """The graph of a definition's stages and transitions, in canonical order."""
    graph = nx.DiGraph()
    known = definition.stages_by_phase
    graph.add_nodes_from(known)
    graph.add_edges_from(
        (transition.source, transition.target)
        for transition in definition.transitions
        if transition.source in known
        and transition.target in known
        and can_be_taken(definition, transition)
    )
    return graph


def endless_loops(definition: PipelineDefinition) -> tuple[tuple[str, ...], ...]:
    """The loops in which every stage follows by itself: a run that comes there never ends."""
    known = definition.stages_by_phase
    following = (
        (transition.source, transition.target)
        for transition in definition.transitions
        if transition.target in known and follows_by_itself(definition, transition)
    )
    return loops(nx.DiGraph(list(following)))


def group_graph(group: Group) -> nx.DiGraph:
    """The members of a group in the order of registration, each leading to what depends on it.

    A dependency of a member on itself is no edge, nor is one on an agent that is no member.
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(group.agents)
    graph.add_edges_from(
        (needed, member)
        for member, wanted in group.dependencies.items()
        for needed in wanted
        if needed != member and needed in graph and member in graph
    )
    return graph


def ends(definition: PipelineDefinition, graph: nx.DiGraph) -> frozenset[str]:
    """The stages where a conversation may rest for good."""
    return frozenset(
        phase
        for phase, stage in definition.stages_by_phase.items()
        if stage.kind == "human" or not graph.succ[phase]
    )


def reachable(graph: nx.DiGraph, beginnings: Iterable[str]) -> frozenset[str]:
    """The phases a conversation that begins in any of `beginnings` can come to, those included."""
    return frozenset(phase for layer in nx.bfs_layers(graph, beginnings) for phase in layer)


def leading_to(graph: nx.DiGraph, targets: Iterable[str]) -> frozenset[str]:
    """The phases from which any of `targets` can be reached, `targets` included."""
    backwards = graph.reverse(copy=False)
    return frozenset(phase for layer in nx.bfs_layers(backwards, targets) for phase in layer)


def handoffs_to(
    graph: nx.DiGraph, entry: str, targets: frozenset[str], groups: Container[str] = ()
) -> int | None:
    """How many handoffs the shortest way from `entry` to one of `targets` takes; None: no way.

    Away from a stage in `groups` no handoff leads: what is next follows by itself.
    """
    nearest = deque([(entry, 0)])
    seen: set[str] = set()
    while nearest:
        phase, handoffs = nearest.popleft()
        if phase in targets:
            return handoffs
        if phase in seen:
            continue
        seen.add(phase)
        if phase in groups:
            nearest.extendleft((target, handoffs) for target in graph.succ[phase])
        else:
            nearest.extend((target, handoffs + 1) for target in graph.succ[phase])
    return None


def loops(graph: nx.DiGraph) -> tuple[tuple[str, ...], ...]:
    """Every group of stages that can come back to themselves, each in order, all in order.

    A group is as large as can be (a strongly connected component): two loops that share a stage
    are one. A stage that names itself is a loop of one.
    """
    return tuple(
        sorted(
            tuple(sorted(group))
            for group in nx.strongly_connected_components(graph)
            if len(group) > 1 or graph.has_edge(*(list(group) * 2))
        )
    )


def ways_out(graph: nx.DiGraph, loop: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The edges that lead out of a loop, as pairs of phases."""
    inside = frozenset(loop)
    return tuple(
        (source, target)
        for source in sorted(inside)
        for target in graph.succ[source]
        if target not in inside
    )
