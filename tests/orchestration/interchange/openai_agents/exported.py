"""Exports for the tests of projects for the OpenAI Agents SDK, and definitions with bad texts."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export

HOSTILE = (
    'it\'s "quoted"',
    "three \"\"\" quotes ''' and \\ backslash \\",
    "a\nb\r\n\u2028c */ {{x}} {x} %s",
    "\u202eright to left\u202c",
    "class",
    "x" * 10_000,
    '# comment\n"""\nimport os\nos.system(\'x\')',
)


def files(definition: PipelineDefinition) -> Mapping[str, str]:
    return export(definition, "openai-agents").files


def calls(source: str, name: str) -> list[dict[str, Any]]:
    """Return the constant keyword arguments of all calls of a function."""
    return [
        {each.arg: value(each.value) for each in node.keywords if each.arg}
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name
    ]


def value(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def hostile(text: str) -> PipelineDefinition:
    """A definition with one text in every field that takes it."""
    line, name = text[:500], text[:120]
    return PipelineDefinition.model_validate(
        {
            "name": name,
            "description": text,
            "agents": [
                {
                    "id": "a",
                    "name": name,
                    "instructions": text,
                    "language": name,
                    "model": name,
                    "tools": ["find"],
                    "response_schema": {"type": "object", "description": text},
                },
                {"id": "class", "name": name, "instructions": f"{text} {{{{plan}}}}"},
            ],
            "stages": [
                {"phase": "print", "agent_id": "a", "description": text},
                {"phase": "agents", "agent_id": "class"},
                {"phase": "2nd", "agent_id": "a", "description": text},
                {"phase": "runtime", "kind": "human", "description": text},
                {"phase": "group", "kind": "group", "group": {"agents": ["a", "class"]}},
            ],
            "transitions": [
                {
                    "source": "print",
                    "target": "agents",
                    "description": line,
                    "input_schema": {"type": "object", "properties": {text: {"const": text}}},
                    "input_filter": {"keep": "matching", "expression": text[:1_000]},
                },
                {"source": "agents", "target": "2nd", "kind": "return", "description": line},
                {"source": "2nd", "target": "runtime"},
                {"source": "2nd", "target": "group", "kind": "return"},
                {"source": "group", "target": "print"},
            ],
            "rules": [{"id": "r", "agent_id": "a", "conditions": {"intents": [name]}}],
            "tools": [
                {
                    "name": "find",
                    "kind": "http",
                    "description": line,
                    "http": {"url": f"https://x.example/{line}", "body": text},
                    "parameters": {"type": "object", "properties": {text: {"title": text}}},
                }
            ],
            "variables": {"plan": line},
            "entry": "print",
        }
    )
