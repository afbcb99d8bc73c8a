"""Inputs and outputs of components, and the parameters of tools as JSON Schema.

Agent Spec lists the arguments of a tool as inputs, each a JSON Schema with a title. It refuses
titles with blanks or dots, and schemas with keywords that its programs do not know, so an input
has the common keywords only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from orchestration.handoff import snake_case

REFERENCE_KEYS: Final = ("$component_ref", "$referenced_components")
"""Keys with a meaning anywhere in a document."""

_TYPES: Final = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_SCALARS: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
_TITLE: Final = re.compile(r"[^\s.,{}'\"$]{1,200}")
_MAX_DEPTH: Final = 12


def inputs_of(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the properties of a JSON Schema as inputs; an optional one allows null."""
    properties, required = parameters.get("properties"), parameters.get("required")
    if not isinstance(properties, dict):
        return []
    needed = set(filter(_is_text, required)) if isinstance(required, list) else set()
    titles = _titles(list(properties))
    return [
        _input(titles[name], schema, is_required=name in needed)
        for name, schema in properties.items()
    ]


def parameters_of(inputs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a JSON Schema with inputs as properties; one without a default is required."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in inputs:
        title = each["title"]
        properties[title] = {key: value for key, value in each.items() if key != "title"}
        if "default" not in each:
            required.append(title)
        elif each["default"] is None:
            properties[title] = _without_null(properties[title])
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def same_json(value: object, other: object) -> bool:
    """Report whether two JSON values are equal, with the same order of keys."""
    return json.dumps(value) == json.dumps(other)


def _titles(names: Sequence[str]) -> dict[str, str]:
    titles: dict[str, str] = {}
    used = {name for name in names if _TITLE.fullmatch(name)}
    for name in names:
        title = name
        if name not in used:
            base, number = snake_case(name)[:60] or "argument", 1
            title = base
            while title in used:
                number += 1
                title = f"{base}_{number}"
            used.add(title)
        titles[name] = title
    return titles


def _input(title: str, schema: object, *, is_required: bool) -> dict[str, Any]:
    known = _known(schema, 0)
    if is_required or "default" in known:
        return {"title": title, **known}
    description = {"description": known.pop("description")} if "description" in known else {}
    return {"title": title, **description, "anyOf": [known, {"type": "null"}], "default": None}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional input without the alternative null."""
    match schema:
        case {"anyOf": [dict(inner), {"type": "null"}]} if set(schema) <= {
            "anyOf",
            "default",
            "description",
        }:
            kept = {key: value for key, value in schema.items() if key == "description"}
            return {**inner, **kept}
        case _:
            return schema


def _known(schema: object, depth: int) -> dict[str, Any]:
    """Return a JSON Schema with the known keywords that have valid values."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return {}
    known = {key: value for key in schema if (value := _keyword(key, schema, depth)) is not None}
    if "anyOf" in known:
        known.pop("type", None)
    return known


def _keyword(key: str, schema: Mapping[str, Any], depth: int) -> Any:  # noqa: C901
    value = schema[key]
    match key, value:
        case "type", str() if value in _TYPES:
            return value
        case "description" | "format", str():
            return value
        case "enum", [_, *_] if all(isinstance(each, str | int | float) for each in value):
            return value
        case "minimum" | "maximum", int() | float() if not isinstance(value, bool):
            return value
        case "default", str() | int() | float():
            types = _SCALARS.get(str(schema.get("type")), ())
            is_same = isinstance(value, types) and (bool in types or not isinstance(value, bool))
            return value if is_same else None
        case "items", dict():
            return _known(value, depth + 1)
        case "properties", dict():
            return {
                name: _known(each, depth + 1)
                for name, each in value.items()
                if name.lstrip("$") not in ("component_ref", "referenced_components")
            }
        case "required", list() if all(map(_is_text, value)):
            return list(dict.fromkeys(value))
        case "additionalProperties", bool():
            return value
        case "additionalProperties", dict():
            return _known(value, depth + 1)
        case "anyOf", [_, *_]:
            return [_known(each, depth + 1) for each in value]
        case _:
            return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)
