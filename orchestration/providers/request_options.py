"""An agent's model settings in the common terms of the vendors' formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from orchestration.providers.provider import ModelRequest
from orchestration.tools import ToolSpec

Choice = Literal["auto", "required", "none"]

ANSWER = "answer"
"""Name of an agent's response schema, for vendors that require one."""

_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas by names."""
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords that hold schemas in a row."""
_ONE = ("items", "not", "additionalProperties", "contains", "if", "then", "else")
"""Keywords that hold one schema."""


def choice_of(request: ModelRequest) -> Choice:
    """Report whether the model may, must or must not call a tool in this turn.

    Whom a tool has just answered is free to speak: who had to call one in every turn would never
    come to an answer.
    """
    wanted = request.agent.tool_choice
    messages = request.messages
    if wanted == "required" and messages and messages[-1].role == "tool":
        return "auto"
    return wanted


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with objects that have no more properties than it names, as vendors want it.

    >>> closed({"type": "object", "properties": {"a": {"type": "string"}}})
    {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'additionalProperties': False}
    """
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            made[key] = {name: _closed_part(part) for name, part in value.items()}
        elif key in _LISTED and isinstance(value, Sequence):
            made[key] = [_closed_part(part) for part in value]
        else:
            made[key] = _closed_part(value) if key in _ONE else value
    if "properties" in schema or schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def _closed_part(part: Any) -> Any:
    return closed(part) if isinstance(part, Mapping) else part


def is_strict(schema: Any) -> bool:
    """Report whether a schema is closed and requires all of its properties.

    OpenAI's strict mode wants that, and refuses every other schema; without it a schema guides.
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
    held = [schema.get(key) for key in _ONE]
    for key in schema.keys() & {*_NAMED, *_LISTED}:
        parts = schema[key]
        if not isinstance(parts, Mapping if key in _NAMED else Sequence):
            return False
        held += parts.values() if isinstance(parts, Mapping) else parts
    return all(map(is_strict, held))


def in_words(schema: Mapping[str, Any]) -> str:
    """The demand of a schema as a part of the prompt, where no setting can make it."""
    written = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "Unless you call a tool, answer with JSON that follows this JSON Schema, and with nothing "
        f"else:\n{written}"
    )


def form_of_calls(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """A schema that only a call of one of the tools follows: `{"name": …, "arguments": {…}}`."""
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
    """The schema, unless it refers to itself: a reference means nothing within another schema."""
    return {"type": "object"} if "$ref" in json.dumps(parameters) else dict(parameters)
