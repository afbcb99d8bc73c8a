"""Reading of `Flow` components: the stages of a flow in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestration.interchange.agent_spec.agent_reading import AgentReading
from orchestration.interchange.agent_spec.document import Component, Document
from orchestration.interchange.reading import Reading, shown

_MAX_JOINED: Final = 100
"""Maximum number of nodes in a row without a stage."""
_MAX_FLOWS: Final = 20
"""Maximum number of subflows."""
_ENDS: Final = ("StartNode", "EndNode")
Pair = tuple[str, str]


class FlowReading:
    """Nodes and edges of a flow and its subflows.

    A node without an agent is a loss, and the stages before and after it are joined.
    """

    def __init__(self, reading: Reading, document: Document, agents: AgentReading) -> None:
        self._reading, self._document, self._agents = reading, document, agents
        self._phases: dict[str, str | None] = {}
        self._following: dict[str, list[str]] = {}
        self._ends: dict[str, list[str]] = {}
        self._flows: list[str] = []

    def read(self, flow: Component) -> tuple[str | None, list[Pair]]:
        """Return the first stage and the pairs of stages that follow one another."""
        start = self._collect(flow)
        first = next(self._next_stages(start), None) if start else None
        pairs = [
            (phase, target)
            for node, phase in self._phases.items()
            if phase is not None
            for target in self._next_stages(node)
        ]
        return first, self._unbranched(list(dict.fromkeys(pairs)), flow)

    def _collect(self, flow: Component) -> str | None:
        """Read the nodes and edges of a flow, and return its start."""
        self._flows.append(flow.path)
        for path, value in flow.entries("nodes"):
            self._node(value, path)
        for path, value in flow.entries("control_flow_connections"):
            edge = self._document.part(value, path)
            ends = [
                self._node(edge.fields.get(name), edge.at(name)) if edge else None
                for name in ("from_node", "to_node")
            ]
            match ends:
                case [str(source), str(target)]:
                    for each in self._ends.get(source, [source]):
                        self._following.setdefault(each, []).append(target)
                case _:
                    self._reading.lose("Edge", path, "left out", "The stages are not connected.")
        return self._node(flow.fields.get("start_node"), flow.at("start_node"))

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
            elif part.kind not in _ENDS and not self._read_subflow(part, key):
                self._reading.lose(
                    "Node",
                    part.path,
                    f"{shown(part.kind) or 'a node without a type'} is left out",
                    "The stages before and after it are joined.",
                )
        return key

    def _read_subflow(self, node: Component, key: str) -> bool:
        """Read the flow of a `FlowNode` in its place; False if it was read before or is none."""
        flow = self._document.part(node.fields.get("subflow"), node.at("subflow"))
        is_read = flow is None or flow.path in self._flows or len(self._flows) >= _MAX_FLOWS
        if flow is None or is_read or (node.kind, flow.kind) != ("FlowNode", "Flow"):
            return False
        start = self._collect(flow)
        ends = [self._document.part(value, path) for path, value in flow.entries("nodes")]
        self._following[key] = [start] if start else []
        self._ends[key] = [
            str(each.fields.get("id") or each.path)
            for each in ends
            if each is not None and each.kind == "EndNode"
        ]
        return True

    def _next_stages(self, node: str) -> Iterator[str]:
        """Yield the stages that follow a node, through nodes without a stage."""
        queue, seen = list(self._following.get(node, ())), {node}
        for each in queue:
            if each in seen or len(seen) > _MAX_JOINED:
                continue
            seen.add(each)
            phase = self._phases.get(each)
            if phase is not None:
                yield phase
            else:
                queue += self._following.get(each, ())

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
