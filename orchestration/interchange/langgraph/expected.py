"""File `expected.json`: stages, tools and handoffs, for `test_structure.py`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from orchestration.exceptions import SchemaError
from orchestration.interchange.langgraph.plan import AgentNode, Plan
from orchestration.interchange.project import uses_routing
from orchestration.tools import compile_schema

TASK: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "All information they need: they see nothing else.",
        }
    },
    "required": ["task"],
}
"""Schema of a delegation tool."""

_PLAIN: Final[Mapping[str, object]] = {
    "string": "text",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "null": None,
}


def expected_json(plan: Plan) -> str:
    """Return the file, with a line for each part."""
    entry = plan.entry
    people = [node for node, _ in plan.stages_of_kind("human")]
    people += [plan.person] if plan.person else []
    lists: dict[str, Iterable[object]] = {
        "stages": plan.all_nodes,
        "agents": _agents(plan),
        "handoffs": _handoffs(plan),
        "approvals": _approvals(plan),
        "delegations": _delegations(plan),
        "people": people if plan.hands_over else [],
        "answers": _answers(plan),
    }
    lines = [f'"entry": {_line(entry if entry not in people else None)}']
    lines.append(f'"routed": {_line(uses_routing(plan.definition))}')
    for name, values in lists.items():
        items = ",\n  ".join(map(_line, values))
        lines.append(f'"{name}": [\n  {items}\n]' if items else f'"{name}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value)


def _agents(plan: Plan) -> Iterator[Sequence[object]]:
    """Yield the stage and id of each agent that a test can start, with its tools' schemas."""
    tools = plan.definition.tools_by_name
    for each in _startable(plan):
        agent = each.agent
        if agent.tool_choice != "none":
            own = {name: tools[name].parameters for name in agent.tools if name in tools}
            passed = {transfer.tool: transfer.schema for transfer in each.transfers}
            yield each.node, agent.id, own | passed
    if plan.definition.topology == "team":
        names = {tool: TASK for tool, _, _ in plan.delegations()}
        for each in plan.agent_nodes:
            if each.agent.tool_choice != "none":
                yield each.node, each.agent.id, names


def _startable(plan: Plan) -> Sequence[AgentNode]:
    nodes = plan.agent_nodes
    return nodes if plan.hands_over else [each for each in nodes if each.node == plan.entry]


def _handoffs(plan: Plan) -> Iterator[Sequence[object]]:
    """Yield the handoffs with a payload that matches the schema."""
    if plan.definition.limits.max_handoffs == 0:
        return
    for each in _startable(plan):
        for transfer in each.transfers:
            payload = _sample(transfer.schema) if transfer.typed else {"reason": "A question."}
            if payload is not None and transfer.target != each.node:
                last = plan.resting(transfer.target)
                yield each.node, each.agent.id, transfer.tool, payload, transfer.target, last


def _approvals(plan: Plan) -> Iterator[Sequence[object]]:
    tools = plan.definition.tools_by_name
    for each in _startable(plan):
        for name in each.agent.tools:
            if name in tools and tools[name].approval:
                payload = _sample(tools[name].parameters)
                yield each.node, each.agent.id, name, payload or {}


def _delegations(plan: Plan) -> Iterator[Sequence[object]]:
    if plan.definition.limits.max_turns < 2:  # the lead cannot answer after the workers
        return
    for lead in plan.agent_nodes:
        for tool, _, stage in plan.delegations():
            yield lead.agent.id, tool, [each.id for each in plan.servants(stage)]


def _answers(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the answers of agents that answer in a schema."""
    for agent in plan.definition.agents_by_id.values():
        if (schema := agent.response_schema) is not None:
            yield agent.id, json.dumps(_sample(schema) or {})


def _sample(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return arguments that match a schema; None if none are found."""
    sample = _example(schema)
    if not isinstance(sample, dict):
        return None
    try:
        return None if compile_schema(schema)(sample) else sample
    except SchemaError:
        return None


def _example(part: object) -> object:
    """Return an example of a value: one that the schema names, or a plain one of its type."""
    if not isinstance(part, Mapping):
        return None
    for key in ("examples", "enum"):
        if isinstance(values := part.get(key), list) and values:
            return values[0]
    if "const" in part:
        return part["const"]
    if isinstance(properties := part.get("properties"), Mapping):
        required = part.get("required")
        names = required if isinstance(required, list) else []
        return {name: _example(properties.get(name)) for name in names if isinstance(name, str)}
    return _PLAIN.get(str(part.get("type")), {})
