"""A pipeline for the checks of single features of exported code for the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from orchestration.definition import PipelineDefinition

SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "integer", "minimum": 1}},
    "required": ["order"],
    "additionalProperties": False,
}


def features() -> PipelineDefinition:
    """Return the pipeline."""
    names = ("intake", "plain", "last", "summary", "no-tools", "cel", "one", "two")
    filters = {
        "plain": {"keep": "full"},
        "last": {"keep": "last", "count": 2},
        "summary": {"keep": "summary"},
        "no-tools": {"keep": "no_tools"},
        "cel": {"keep": "matching", "expression": "message.role == 'user'"},
    }
    settings: dict[str, dict[str, Any]] = {
        "intake": {
            "instructions": "Greet {{name}} of {{plan}}.",
            "language": "French",
            "temperature": 0.5,
            "tools": ["find"],
        },
        "plain": {"tools": ["approved", "missing", "request", "search"]},
        "summary": {"response_schema": {"type": "object"}},
    }
    return PipelineDefinition.model_validate(
        {
            "name": "Features",
            "agents": [{"id": each, "name": each, **settings.get(each, {})} for each in names],
            "stages": [
                *({"phase": each, "agent_id": each} for each in names[:6]),
                {"phase": "person", "kind": "human"},
                {
                    "phase": "group",
                    "kind": "group",
                    "group": {"agents": ["one", "two"], "dependencies": {"one": ["two"]}},
                },
            ],
            "transitions": [
                *(
                    {
                        "source": "intake",
                        "target": target,
                        "kind": "return",
                        "input_filter": kept,
                        "input_schema": SCHEMA if target == "plain" else None,
                    }
                    for target, kept in filters.items()
                ),
                {"source": "group", "target": "plain"},
                {"source": "plain", "target": "intake", "kind": "return"},
            ],
            "tools": [
                {"name": "approved", "approval": True},
                {"name": "find"},
                {"name": "missing"},
                {"name": "request", "kind": "http", "http": {"url": "https://a.example/{path}"}},
                {"name": "search", "kind": "mcp", "mcp": {"connection": "docs"}},
            ],
            "variables": {"name": "nobody", "plan": "pro"},
            "limits": {"max_turns": 3, "max_handoffs": 2},
            "entry": "intake",
        }
    )
