"""A definition with every feature whose components need no metadata to keep their keys."""

from __future__ import annotations

import json
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export

SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "integer", "description": "Its number"}},
    "required": ["order"],
}
RICH: dict[str, Any] = {
    "name": "Desk",
    "description": "Answers customers",
    "entry": "triage",
    "default_agent_id": "billing",
    "supervisor_id": "watcher",
    "supervision": {"ask_at": ["handoff"], "may": ["note"]},
    "aliases": {"money": "billing"},
    "variables": {"plan": "free", "customer.name": "Ada", "unused": "x"},
    "on_handoff": "wait",
    "handoff_tool_name": "pass_on",
    "limits": {"max_turns": 5},
    "agents": [
        {"id": "triage", "name": "triage", "instructions": "Greet {{plan}} {{customer.name}}."},
        {
            "id": "billing",
            "name": "billing",
            "instructions": "Answer.",
            "model": "some-model",
            "temperature": 0.5,
            "max_output_tokens": 200,
            "response_schema": SCHEMA,
            "tools": ["ask", "find", "pages", "refund", "research"],
        },
        {
            "id": "expert",
            "name": "expert",
            "reasoning_effort": "high",
            "language": "French",
            "retries": 2,
            "cues": [{"say": "Hello"}],
        },
        {"id": "watcher", "name": "watcher"},
        {"id": "first", "name": "first"},
        {"id": "second", "name": "second"},
    ],
    "stages": [
        {"phase": "triage", "agent_id": "triage", "description": "Takes the first message"},
        {"phase": "billing", "agent_id": "billing", "description": "Money"},
        {"phase": "expert", "agent_id": "expert"},
        {"phase": "later", "agent_id": "expert"},
        {"phase": "checks", "kind": "group", "group": {"agents": ["first", "second"]}},
        {"phase": "person", "kind": "human"},
    ],
    "transitions": [
        {
            "source": "triage",
            "target": "billing",
            "description": "About money",
            "input_schema": SCHEMA,
        },
        {
            "source": "triage",
            "target": "expert",
            "kind": "return",
            "input_filter": {"keep": "no_tools"},
        },
        {
            "source": "billing",
            "target": "triage",
            "kind": "return",
            "input_filter": {"keep": "last"},
        },
        {"source": "billing", "target": "later", "input_filter": {"keep": "summary"}},
        {"source": "expert", "target": "checks"},
        {"source": "checks", "target": "later"},
        {
            "source": "later",
            "target": "person",
            "input_filter": {"keep": "matching", "expression": "message.role == 'user'"},
        },
    ],
    "rules": [
        {"id": "money", "agent_id": "billing", "conditions": {"intents": ["money"]}},
        {"id": "odd", "agent_id": "expert", "conditions": {"custom": "state.handoff_count > 2"}},
    ],
    "tools": [
        {
            "name": "find",
            "description": "Finds",
            "parameters": SCHEMA,
            "time_limit": 5,
            "examples": [{"result": "42"}],
        },
        {"name": "ask", "kind": "user_input", "description": "Asks"},
        {
            "name": "refund",
            "kind": "http",
            "description": "Pays",
            "approval": True,
            "parameters": SCHEMA,
            "http": {
                "method": "POST",
                "url": "https://shop.example/{order}",
                "body": '{"of": "{order}"}',
            },
        },
        {
            "name": "pages",
            "kind": "mcp",
            "description": "Searches",
            "parameters": SCHEMA,
            "mcp": {"connection": "manual", "tool": "pages"},
        },
        {"name": "research", "kind": "subtask", "pipeline": "Research"},
    ],
    "layout": {
        "stages": {"triage": {"x": 10, "y": 20}},
        "notes": [{"id": "note", "text": "Look", "x": 1, "y": 2}],
    },
}


def rich(**changes: Any) -> PipelineDefinition:
    """Return the definition with changes of its fields."""
    return PipelineDefinition.model_validate(RICH | changes)


def document(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the exported document of a definition."""
    text = export(definition, "agent-spec").files["agent-spec.json"]
    written: dict[str, Any] = json.loads(text)
    return written


def without_metadata(value: Any) -> Any:
    """Return a document without the metadata of any component."""
    if isinstance(value, dict):
        return {key: without_metadata(each) for key, each in value.items() if key != "metadata"}
    return [without_metadata(each) for each in value] if isinstance(value, list) else value
