"""JSON Schemas that RoomKit takes for answers: the part that all vendors have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_KEYWORDS: Final = {
    "object": {"type", "properties", "required", "additionalProperties"},
    "array": {"type", "items"},
    "string": {"type", "enum"},
    "number": {"type"},
    "integer": {"type"},
    "boolean": {"type"},
}
_NOTES: Final = {"title", "description"}


def is_portable(schema: object) -> bool:
    """Report whether RoomKit takes a JSON Schema for answers, which have to be objects."""
    return isinstance(schema, Mapping) and schema.get("type") == "object" and _is_valid(schema)


def _is_valid(schema: object) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        return False
    if not schema.keys() <= _KEYWORDS[kind] | _NOTES:
        return False
    if not all(isinstance(schema.get(key, ""), str) for key in _NOTES):
        return False
    if kind == "object":
        return _is_object(schema)
    if kind == "array":
        return _is_valid(schema.get("items"))
    return _is_enum(schema["enum"]) if "enum" in schema else True


def _is_object(schema: Mapping[str, Any]) -> bool:
    properties, required = schema.get("properties"), schema.get("required")
    return (
        isinstance(properties, Mapping)
        and isinstance(required, list)
        and all(isinstance(each, str) for each in required)
        and sorted(required) == sorted(properties)
        and schema.get("additionalProperties") is False
        and all(map(_is_valid, properties.values()))
    )


def _is_enum(values: object) -> bool:
    return (
        isinstance(values, list)
        and all(isinstance(each, str) for each in values)
        and 0 < len(values) == len(set(values))
    )
