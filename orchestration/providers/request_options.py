"""Conversion of an agent's model settings for the vendors' formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from orchestration.providers.provider import ModelRequest
from orchestration.tools import ToolSpec

ToolChoice = Literal["auto", "required", "none"]

ANSWER = "answer"
"""Name of an agent's response schema, for vendors that require one."""

_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas by names."""
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords that hold a list of schemas."""
_ONE = ("items", "not", "additionalProperties", "contains", "if", "then", "else")
"""Keywords that hold one schema."""


def tool_choice_of(request: ModelRequest) -> ToolChoice:
    """Return the tool choice of this turn.

    After a tool result the choice is free: a model that must call a tool in every turn would
    never answer.
    """
    choice = request.agent.tool_choice
    messages = request.messages
    if choice == "required" and messages and messages[-1].role == "tool":
        return "auto"
    return choice


def closed_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Forbid additional properties in all objects of a schema, as vendors require.

    >>> closed_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'additionalProperties': False}
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            result[key] = {name: _closed_part(part) for name, part in value.items()}
        elif key in _LISTED and isinstance(value, Sequence):
            result[key] = [_closed_part(part) for part in value]
        else:
            result[key] = _closed_part(value) if key in _ONE else value
    if "properties" in schema or schema.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


def _closed_part(part: Any) -> Any:
    return closed_schema(part) if isinstance(part, Mapping) else part


def is_strict(schema: Any) -> bool:
    """Report whether a schema is closed and requires all of its properties.

    OpenAI's strict mode requires both. Without strict mode a schema is only a hint to the model.
    """
    if not isinstance(schema, Mapping):
        return True
    if "properties" in schema or schema.get("type") == "object":
        named, required = schema.get("properties", {}), schema.get("required", ())
        if not isinstance(named, Mapping) or not isinstance(required, Sequence):
            return False
        if set(named) != set(map(str, required)) or schema.get("additionalProperties") is not False:
            return False
    if any(key in schema for key in ("oneOf", "allOf", "not", "patternProperties", "if")):
        return False
    subschemas = [schema.get(key) for key in _ONE]
    for key in schema.keys() & {*_NAMED, *_LISTED}:
        parts = schema[key]
        if not isinstance(parts, Mapping if key in _NAMED else Sequence):
            return False
        subschemas += parts.values() if isinstance(parts, Mapping) else parts
    return all(map(is_strict, subschemas))


def schema_prompt(schema: Mapping[str, Any]) -> str:
    """Return a prompt that requests answers by a schema, for models without such a setting."""
    schema_json = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "Unless you call a tool, answer with JSON that follows this JSON Schema, and with nothing "
        f"else:\n{schema_json}"
    )


def tool_call_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return a schema for a call of one of the tools: `{"name": …, "arguments": {…}}`."""
    forms = [
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": [tool.name]},
                "arguments": _without_references(tool.parameters),
            },
            "required": ["name", "arguments"],
        }
        for tool in tools
    ]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _without_references(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a schema with references: they cannot be resolved inside another schema."""
    return {"type": "object"} if "$ref" in json.dumps(parameters) else dict(parameters)
