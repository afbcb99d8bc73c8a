"""Reading of `Flow` components: the stages of a flow in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestration.interchange.agent_spec.agent_reading import AgentReading
from orchestration.interchange.agent_spec.document import Component, Document
from orchestration.interchange.reading import Reading, shown

_MAX_JOINED: Final = 100
"""Maximum number of nodes in a row without a stage."""
_ENDS: Final = ("StartNode", "EndNode")
Pair = tuple[str, str]


class FlowReading:
    """Nodes and edges of a flow. A node without an agent is a loss; its edges are joined."""

    def __init__(self, reading: Reading, document: Document, agents: AgentReading) -> None:
        self._reading, self._document, self._agents = reading, document, agents
        self._phases: dict[str, str | None] = {}

    def read(self, flow: Component) -> tuple[str | None, list[Pair]]:
        """Return the first stage and the pairs of stages that follow one another."""
        for path, value in flow.entries("nodes"):
            self._node(value, path)
        following: dict[str, list[str]] = {}
        for path, value in flow.entries("control_flow_connections"):
            edge = self._document.part(value, path)
            ends = [
                self._node(edge.fields.get(name), edge.at(name)) if edge else None
                for name in ("from_node", "to_node")
            ]
            match ends:
                case [str(source), str(target)]:
                    following.setdefault(source, []).append(target)
                case _:
                    self._reading.lose("Edge", path, "left out", "The stages are not connected.")
        start = self._node(flow.fields.get("start_node"), flow.at("start_node"))
        first = next(self._next_stages(start, following), None) if start else None
        pairs = [
            (phase, target)
            for node, phase in self._phases.items()
            if phase is not None
            for target in self._next_stages(node, following)
        ]
        return first, self._unbranched(list(dict.fromkeys(pairs)), flow)

    def _node(self, value: object, path: str) -> str | None:
        """Return the path of a node as its key, after its agent was read."""
        part = self._document.part(value, path)
        if part is None:
            return None
        key = str(part.fields.get("id") or part.path)
        if key not in self._phases:
            self._phases[key] = None
            if part.kind == "AgentNode":
                self._phases[key] = self._agents.read(part.fields.get("agent"), part.at("agent"))
            elif part.kind == "LlmNode":
                self._phases[key] = self._agents.read_prompt(part)
            elif part.kind not in _ENDS:
                self._reading.lose(
                    "Node",
                    part.path,
                    f"{shown(part.kind) or 'a node without a type'} is left out",
                    "The stages before and after it are joined.",
                )
        return key

    def _next_stages(self, node: str, following: dict[str, list[str]]) -> Iterator[str]:
        """Yield the stages that follow a node, through nodes without a stage."""
        queue, seen = list(following.get(node, ())), {node}
        for each in queue:
            if each in seen or len(seen) > _MAX_JOINED:
                continue
            seen.add(each)
            phase = self._phases.get(each)
            if phase is not None:
                yield phase
            else:
                queue += following.get(each, ())

    def _unbranched(self, pairs: list[Pair], flow: Component) -> list[Pair]:
        """Return one pair for each stage; a workflow of Baton has no branches."""
        kept: dict[str, str] = {}
        for source, target in pairs:
            if source == target:
                continue
            if source in kept:
                self._reading.lose(
                    "Branch",
                    flow.at("control_flow_connections"),
                    f"from {source} to {target} is left out",
                    f"{source} always continues with {kept[source]}.",
                )
            kept.setdefault(source, target)
        return list(kept.items())
