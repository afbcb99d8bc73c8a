"""The largest allowed document of each kind that takes long to load."""

from __future__ import annotations

import json
from typing import Any

from orchestration.definition import (
    MAX_AGENTS,
    MAX_FRAMES,
    MAX_NOTES,
    MAX_RULES,
    MAX_STAGES,
    MAX_TOOLS,
    MAX_TRANSITIONS,
)
from orchestration.loading import DEFINITION, OPENAPI, TRACE, has_too_many_values
from orchestration.runtime import MAX_EVENTS
from tests.long_trace import long_trace


def largest_definition() -> bytes:
    """Return a definition with as many parts, values and bytes as a file may have."""
    agents = [
        {"id": f"agent-{number}", "name": f"Agent {number}", "instructions": ""}
        for number in range(MAX_AGENTS)
    ]
    definition: dict[str, Any] = {
        "name": "The largest definition",
        "agents": agents,
        "stages": [
            {"phase": f"stage-{number}", "agent_id": f"agent-{number % MAX_AGENTS}"}
            for number in range(MAX_STAGES)
        ],
        "transitions": [
            {
                "source": f"stage-{number % MAX_STAGES}",
                "target": f"stage-{(number + 1 + number // MAX_STAGES * 7) % MAX_STAGES}",
                "kind": "return" if number >= MAX_STAGES else "next",
            }
            for number in range(MAX_TRANSITIONS)
        ],
        "rules": [
            {
                "id": f"rule-{number}",
                "agent_id": f"agent-{number}",
                "conditions": {"intents": ["a"]},
            }
            for number in range(MAX_RULES)
        ],
        "tools": [_tool(f"tool_{number}") for number in range(MAX_TOOLS)],
        "layout": {
            "stages": {
                f"stage-{number}": {"x": number % 50 * 240, "y": number // 50 * 120}
                for number in range(MAX_STAGES)
            },
            "notes": [
                {"id": f"note-{number}", "x": 0, "y": number, "text": "A note"}
                for number in range(MAX_NOTES)
            ],
            "frames": [
                {"id": f"frame-{number}", "title": "A frame", "stages": [f"stage-{number}"]}
                for number in range(MAX_FRAMES)
            ],
        },
    }
    properties = definition["tools"][0]["parameters"]["properties"]
    while not has_too_many_values(json.dumps(definition), DEFINITION):
        start = len(properties)
        properties |= {f"more_{start + number}": {"type": "string"} for number in range(100)}
    for name in list(properties)[-100:]:
        del properties[name]
    room = DEFINITION.max_bytes - len(json.dumps(definition)) - 1_000
    for agent in agents:
        agent["instructions"] = "Answer in a word. " * (room // MAX_AGENTS // 20)
    return json.dumps(definition).encode()


def _tool(name: str) -> dict[str, Any]:
    properties = {f"argument_{number}": {"type": "string"} for number in range(2)}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


def largest_openapi() -> dict[str, Any]:
    """Return an OpenAPI document with as many values and bytes as a file may have."""
    operations = 1_000
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "The largest document"},
        "paths": {
            f"/items/{number}": {
                "get": {
                    "operationId": f"get_item_{number}",
                    "description": "",
                    "parameters": [_parameter(f"argument_{each}") for each in range(7)],
                }
            }
            for number in range(operations)
        },
        "more": [],
    }
    document["more"] = [0] * (OPENAPI.max_values - _count(document))
    while has_too_many_values(json.dumps(document), OPENAPI):
        del document["more"][-100:]
    room = OPENAPI.max_bytes - len(json.dumps(document)) - 200_000
    for item in document["paths"].values():
        item["get"]["description"] = "Words about it. " * (room // operations // 20)
    return document


def _parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": "string"}}


def _count(value: object) -> int:
    match value:
        case dict():
            return sum(1 + _count(entry) for entry in value.values())
        case list():
            return sum(1 + _count(entry) for entry in value)
        case _:
            return 0


def largest_trace() -> bytes:
    """Return a trace with as many events as a file may have."""
    data = b"".join(long_trace(MAX_EVENTS).lines())
    assert len(data) <= TRACE.max_bytes
    return data
