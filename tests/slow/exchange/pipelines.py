"""Pipelines that the slow tests export: the samples, every feature, and hostile texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.loading import load

HOSTILE = '"\'\'\'"""\n{x} ${y} %z */ --> # \\ \u202eevil\u2028 import os; `rm`' + "x" * 500

KINDS: list[dict[str, Any]] = [
    {"name": "function", "kind": "function", "approval": True},
    {"name": "subtask", "kind": "subtask", "pipeline": "Other"},
    {"name": "question", "kind": "user_input"},
    {
        "name": "request",
        "kind": "http",
        "http": {"url": "https://a.example/{id}", "method": "POST"},
    },
    {"name": "server", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find"}},
]


@cache
def pipelines() -> dict[str, PipelineDefinition]:
    """Return the pipelines by name."""
    folder = Path("designer/pipelines/samples")
    found = {each.stem: load(each.read_bytes()) for each in sorted(folder.glob("*.json"))}
    return found | {"everything": _everything("Text"), "hostile": _everything(HOSTILE)}


def _everything(text: str) -> PipelineDefinition:
    """A pipeline with every kind of stage, transition, rule and tool; texts are `text`."""
    names = [each["name"] for each in KINDS]
    schema = {"type": "object", "properties": {text[:40]: {"type": "string", "description": text}}}
    parameters = {"type": "object", "properties": {"id": {"type": "string", "description": text}}}
    return PipelineDefinition.model_validate(
        {
            "name": text[:100],
            "description": text,
            "entry": "in-take",
            "supervisor_id": "watcher",
            "default_agent_id": "triage",
            "agents": [
                {
                    "id": "triage",
                    "name": text[:100],
                    "instructions": text,
                    "language": text[:100],
                    "tools": names,
                    "temperature": 0.5,
                    "response_schema": schema
                    | {"required": [text[:40]], "additionalProperties": False},
                },
                {"id": "class", "name": "Class", "instructions": text, "provider": "openai"},
                {"id": "print", "name": "Print", "instructions": text, "model": text[:100]},
                {"id": "watcher", "name": "Watcher", "instructions": text},
            ],
            "stages": [
                {"phase": "in-take", "agent_id": "triage", "description": text},
                {"phase": "class", "agent_id": "class"},
                {"phase": "checks", "kind": "group", "group": {"agents": ["print", "class"]}},
                {"phase": "2nd", "agent_id": "print"},
                {"phase": "person", "kind": "human", "description": text},
            ],
            "transitions": [
                {
                    "source": "in-take",
                    "target": "class",
                    "description": text[:400],
                    "input_schema": schema,
                    "input_filter": {"keep": "no_tools"},
                },
                {
                    "source": "in-take",
                    "target": "checks",
                    "kind": "return",
                    "input_filter": {"keep": "last", "count": 2},
                },
                {
                    "source": "in-take",
                    "target": "person",
                    "kind": "return",
                    "input_filter": {"keep": "summary"},
                },
                {"source": "checks", "target": "2nd"},
                {
                    "source": "class",
                    "target": "in-take",
                    "kind": "return",
                    "input_filter": {"keep": "matching", "expression": "message.role == 'user'"},
                },
                {"source": "2nd", "target": "person"},
            ],
            "rules": [
                {"id": "words", "agent_id": "class", "conditions": {"intents": [text[:100]]}},
                {"id": "code", "agent_id": "print", "conditions": {"custom": "event.text != ''"}},
            ],
            "tools": [
                each | {"description": text[:400], "parameters": parameters} for each in KINDS
            ],
            "variables": {"customer.name": text[:400]},
        }
    )
