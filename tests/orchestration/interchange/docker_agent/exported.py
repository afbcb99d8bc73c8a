"""Exports to docker-agent for tests."""

from __future__ import annotations

from typing import Any

import yaml

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.sound_pipeline import sound


def written(definition: PipelineDefinition) -> Any:
    return yaml.safe_load(export(definition, "docker-agent").files["agents.yaml"])


def losses(definition: PipelineDefinition) -> dict[str, str]:
    return {each.part: each.kept for each in export(definition, "docker-agent").rows}


TOOLS: list[dict[str, Any]] = [
    {
        "name": "find",
        "description": "Finds",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
        },
    },
    {
        "name": "call",
        "kind": "http",
        "approval": True,
        "http": {"method": "POST", "url": "https://shop.example/orders/{id}"},
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
    {"name": "inside", "kind": "http", "http": {"url": "/orders", "connection": "shop"}},
    {"name": "search", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find_page"}},
    {"name": "ask", "kind": "user_input", "description": "Asks"},
    {"name": "task", "kind": "subtask", "pipeline": "Other"},
]


def with_tools() -> PipelineDefinition:
    """A definition whose first agent has a tool of each kind."""
    names = [each["name"] for each in TOOLS]
    agents = [
        {"id": "triage", "name": "Triage", "tools": names},
        *sound().model_dump()["agents"][:2],
    ]
    return sound(tools=TOOLS, agents=[each for each in agents if each["id"] != "handler"])
