"""Exports for the tests of projects for RoomKit."""

from __future__ import annotations

import ast
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export

STRICT = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "description": "In euros"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "lines": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["amount", "kind", "lines"],
    "additionalProperties": False,
}
"""A JSON Schema that RoomKit takes for answers."""


def source(definition: PipelineDefinition, name: str = "agents.py") -> str:
    return export(definition, "roomkit").files[name]


def calls(definition: PipelineDefinition, function: str) -> list[dict[str, Any]]:
    """The arguments of the calls of a function in `agents.py`; code is shown as text."""
    found: list[dict[str, Any]] = []
    for node in ast.walk(ast.parse(source(definition))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            given = {each.arg or "": value(each.value) for each in node.keywords}
            found.append(given | {str(n): value(each) for n, each in enumerate(node.args)})
    return found


def value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def kept(definition: PipelineDefinition) -> dict[tuple[str, str], str]:
    rows = export(definition, "roomkit").rows
    return {(each.part, place): each.kept for each in rows for place in each.places}
