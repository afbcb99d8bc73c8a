"""Exports for the tests of LangGraph code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export


def files_of(definition: PipelineDefinition) -> Mapping[str, str]:
    return export(definition, "langgraph").files


def desk(**changes: Any) -> PipelineDefinition:
    """A desk that hands over to billing with a payload, and back."""
    parts: dict[str, Any] = {
        "name": "Desk",
        "entry": "intake",
        "agents": [
            {"id": "triage", "name": "Triage", "instructions": "Ask."},
            {"id": "billing", "name": "Billing", "tools": ["find_invoice"]},
        ],
        "stages": [
            {"phase": "intake", "agent_id": "triage"},
            {"phase": "bills", "agent_id": "billing"},
        ],
        "transitions": [
            {
                "source": "intake",
                "target": "bills",
                "description": "When it is about money.",
                "input_schema": ORDER,
            },
            {"source": "bills", "target": "intake", "kind": "return"},
        ],
        "tools": [{"name": "find_invoice"}],
        "allow_human": False,
    }
    return PipelineDefinition.model_validate(parts | changes)


ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"order": {"type": "integer"}},
    "required": ["order"],
}


def function_named(source: str, name: str) -> ast.FunctionDef:
    tree = ast.parse(source)
    return next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)


def calls_in(source: str, function: str) -> list[ast.Call]:
    """The calls of a function, in order."""
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)]
    return [n for n in nodes if ast.unparse(n.func) == function]


def arguments_of(source: str, function: str) -> list[dict[str, str]]:
    """The keyword arguments of each call of a function, as source."""
    return [
        {each.arg or "": ast.unparse(each.value) for each in call.keywords}
        for call in calls_in(source, function)
    ]
