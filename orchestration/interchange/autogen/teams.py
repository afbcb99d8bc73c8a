"""Transitions of the kinds of teams: a selector, rounds, and a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from orchestration.definition import Topology
from orchestration.interchange.foreign import ForeignDocument, Steps

MAX_MESH = 20
"""Participants who can all hand over to each other; more have transitions from and to the first."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A transition between participants by name."""

    source: str
    target: str
    text: object
    steps: Steps


@dataclass(frozen=True, slots=True)
class TeamEdges:
    """Transitions of a team, and the fields of its configuration that they come from."""

    edges: list[Edge] = field(default_factory=list)
    used: tuple[str, ...] = ()


def topology_of(team: str, config: Mapping[str, Any], participants: Mapping[str, Any]) -> Topology:
    """Return the topology for a class of teams."""
    if team == "RoundRobinGroupChat":
        return "workflow"
    if team == "GraphFlow":
        return "workflow" if _is_chain(config) else "pipeline"
    return "swarm" if len(participants) > 1 else "pipeline"


def edges_of_team(
    team: str, participants: Mapping[str, Any], config: Mapping[str, Any], document: ForeignDocument
) -> TeamEdges:
    """Return the transitions that a class of teams adds to the handoffs of its agents."""
    names, at = list(participants), ("provider",)
    match team:
        case "Swarm":
            return TeamEdges()
        case "SelectorGroupChat":
            sentence = (
                "Each agent hands over itself, in place of a model that selects the next one."
            )
            document.lose("Selection", at, sentence, "read as handoffs between all")
            used = ["model_client", "selector_prompt", "max_selector_attempts"]
            used += [] if config.get("allow_repeated_speaker") else ["allow_repeated_speaker"]
            return TeamEdges(_mesh(names), tuple(used))
        case "RoundRobinGroupChat":
            sentence = "The answer of the last agent ends the run, in place of another round."
            document.lose("Rounds", at, sentence, "read as one round")
            pairs = pairwise(names)
            return TeamEdges([Edge(source, target, "", at) for source, target in pairs])
        case "GraphFlow":
            return TeamEdges(_graph(config, participants, document))
        case _:
            sentence = "The agents have no transitions: add them."
            document.lose("Kind of team", at, sentence)
            return TeamEdges()


def _mesh(names: list[str]) -> list[Edge]:
    """Return edges between all participants, or from and to the first of many."""
    if len(names) <= MAX_MESH:
        pairs = [(source, target) for source in names for target in names if source != target]
    else:
        first, *others = names
        pairs = [pair for each in others for pair in ((first, each), (each, first))]
    return [Edge(source, target, "", ("provider",)) for source, target in pairs]


def _graph(
    config: Mapping[str, Any], participants: Mapping[str, Any], document: ForeignDocument
) -> list[Edge]:
    steps: Steps = ("config", "graph")
    graph = document.fields(config.get("graph"), steps)
    document.unknown(graph, steps, ("nodes", "default_start_node"), "A pipeline")
    at = (*steps, "nodes")
    nodes = document.fields(graph.get("nodes"), at)
    if not _is_chain(config):
        sentence = "Each agent hands over itself when a condition holds."
        document.lose("Graph", at, sentence, "read as handoffs")
    found: list[Edge] = []
    for name, raw in nodes.items():
        node = document.fields(raw, (*at, name))
        if name not in participants:
            document.lose("Node", (*at, name), "The team has no such participant.")
            continue
        edges = (*at, name, "edges")
        for index, value in enumerate(document.items(node.get("edges"), edges)):
            edge = document.fields(value, (*edges, index))
            target = edge.get("target")
            if isinstance(target, str):
                found.append(Edge(name, target, edge.get("condition"), (*edges, index)))
    return found


def _is_chain(config: Mapping[str, Any]) -> bool:
    """Report whether every node of a graph has one edge at most, without a condition."""
    graph = config.get("graph")
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    values = nodes.values() if isinstance(nodes, Mapping) else ()
    lists = [each.get("edges") for each in values if isinstance(each, Mapping)]
    return all(
        len(each) <= 1 and not _has_condition(each) for each in lists if isinstance(each, list)
    )


def _has_condition(edges: list[Any]) -> bool:
    return any(isinstance(each, Mapping) and each.get("condition") for each in edges)
