"""A tool as a signature that a person reads at a glance: `handoff(target: "a" | "b", …)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orchestration.tools import ToolSpec

DEEPEST = 3
MOST_CHOICES = 12


def signature(tool: ToolSpec) -> str:
    """The tool's name and its arguments, one to a line; `?` marks those that may be left out."""
    schema = tool.parameters
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return f"{tool.name}()"
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    lines = [
        f"  {name}{'' if name in needed else '?'}: {_kind(of, DEEPEST)}"
        for name, of in properties.items()
    ]
    return f"{tool.name}(\n" + ",\n".join(lines) + ")"


def _kind(schema: Any, depth: int) -> str:
    """A JSON Schema as a type. It may be anything at all: the author wrote it."""
    if not isinstance(schema, Mapping) or depth == 0:
        return "any"
    if isinstance(choices := schema.get("enum"), list):
        shown = [json.dumps(choice, ensure_ascii=False) for choice in choices[:MOST_CHOICES]]
        return " | ".join(shown + (["…"] if len(choices) > MOST_CHOICES else []))
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    for union in ("anyOf", "oneOf"):
        if isinstance(members := schema.get(union), list):
            return " | ".join(_kind(member, depth - 1) for member in members[:MOST_CHOICES])
    named = schema.get("type")
    if isinstance(named, list):
        return " | ".join(str(one) for one in named)
    if named == "array":
        return f"{_kind(schema.get('items'), depth - 1)}[]"
    return named if isinstance(named, str) else "any"
