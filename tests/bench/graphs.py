"""The graphs of the editor's bench: layers of stages, as `layout/graphs.py` of the shared bench."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import networkx as nx

STEP_RIGHT, STEP_DOWN = 290, 140


def graph(size: int) -> dict[str, Any]:
    """A graph of so many points: `edges` as pairs of numbers, and their places as `pos`."""
    path = Path(os.environ["BENCH_SHARED"]) / "layout" / "graphs.py"
    spec = importlib.util.spec_from_file_location("shared_graphs", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.layered(size)
    edges = [tuple(edge) for edge in found["edges"]]
    layer = [0] * size
    for source, target in sorted(edges):
        if source < target:
            layer[target] = max(layer[target], layer[source] + 1)
    beside = [0] * size
    pos = []
    for column in layer:
        pos.append([column * STEP_RIGHT, beside[column] * STEP_DOWN])
        beside[column] += 1
    return {"n": size, "edges": edges, "pos": pos}


def definition_of(drawn: dict[str, Any], name: str) -> dict[str, Any]:
    """The graph as a definition: a stage for each point, agents shared beyond four hundred.

    What nothing leads to is led to by the stage before it, so that the rules find little.
    """
    size = drawn["n"]
    agents = min(size, 400)
    known: set[int] = set()
    transitions = []
    edges = {(a, b) for a, b in drawn["edges"] if a != b}
    whole = nx.DiGraph(list(edges))
    whole.add_nodes_from(range(size))
    reached: set[int] = set()
    for stage in range(size):
        if stage not in reached:
            edges |= {(stage - 1, stage)} if stage else set()
            reached |= {stage, *nx.descendants(whole, stage)}
    for source, target in sorted(edges):
        kind = "return" if source in known or source > target else "next"
        if kind == "next":
            known.add(source)
        transitions.append({"source": f"s{source}", "target": f"s{target}", "kind": kind})
    return {
        "format": "baton.pipeline",
        "version": 1,
        "name": name,
        "agents": [{"id": f"a{n}", "name": f"Agent {n}"} for n in range(agents)],
        "stages": [{"phase": f"s{n}", "agent_id": f"a{n % agents}"} for n in range(size)],
        "transitions": transitions,
        "entry": "s0",
        "layout": {"stages": {f"s{n}": {"x": x, "y": y} for n, (x, y) in enumerate(drawn["pos"])}},
    }
