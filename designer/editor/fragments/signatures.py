"""Short signatures of tools: `handoff(target: "a" | "b", …)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orchestration.tools import ToolSpec

MAX_DEPTH = 3
MAX_CHOICES = 12


def signature(tool: ToolSpec) -> str:
    """Return the tool's name and its arguments, one per line; `?` marks optional ones."""
    schema = tool.parameters
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return f"{tool.name}()"
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    lines = [
        f"  {name}{'' if name in names else '?'}: {_type(part, MAX_DEPTH)}"
        for name, part in properties.items()
    ]
    return f"{tool.name}(\n" + ",\n".join(lines) + ")"


def _type(schema: Any, depth: int) -> str:
    """Return a JSON Schema as a type. It can be malformed, because authors write it."""
    if not isinstance(schema, Mapping) or depth == 0:
        return "any"
    if isinstance(choices := schema.get("enum"), list):
        shown = [json.dumps(choice, ensure_ascii=False) for choice in choices[:MAX_CHOICES]]
        return " | ".join(shown + (["…"] if len(choices) > MAX_CHOICES else []))
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    for union in ("anyOf", "oneOf"):
        if isinstance(members := schema.get(union), list):
            return " | ".join(_type(member, depth - 1) for member in members[:MAX_CHOICES])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if kind == "array":
        return f"{_type(schema.get('items'), depth - 1)}[]"
    return kind if isinstance(kind, str) else "any"
