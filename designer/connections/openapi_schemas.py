"""Schemas of an OpenAPI document as plain JSON Schema: without references, and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestration.exceptions import DocumentError

MAX_DEPTH = 10
"""Maximum depth of an argument's schema; deeper parts accept any value."""

MAX_PARTS = 500
"""Maximum number of schemas of one operation; further parts accept any value."""

MAX_STEPS = 20
"""References that lead to references."""

_KEPT = frozenset(
    {
        "type", "format", "title", "enum", "const", "default", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
        "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
_LONGEST = 500

_Inner = Callable[[Any], dict[str, Any]]


class Unfolded:
    """The schemas of one operation with resolved references."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document, self._parts = document, 0

    def resolved(self, value: Any) -> Any:
        """Return the referenced value, or the value itself; raise `DocumentError`."""
        for _ in range(MAX_STEPS):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                return value
            value = self._at(value["$ref"])
        raise DocumentError("its references lead round and round")

    def of_parameter(self, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """The schema of a parameter, with what is said of it."""
        content = parameter.get("content")
        first = next(iter(content.values()), None) if isinstance(content, dict) else None
        said = first.get("schema") if isinstance(first, dict) else None
        schema = self.schema(parameter.get("schema") or said)
        said = parameter.get("description")
        return {"description": said[:_LONGEST], **schema} if isinstance(said, str) else schema

    def schema(self, value: Any, depth: int = 0, seen: tuple[int, ...] = ()) -> dict[str, Any]:
        """A schema with all that it refers to; what goes on for ever may be anything."""
        found = self.resolved(value)
        self._parts += 1
        if not isinstance(found, dict) or depth > MAX_DEPTH or self._parts > MAX_PARTS:
            return {}
        if id(found) in seen:
            return {}
        below = (*seen, id(found))

        def inner(part: Any) -> dict[str, Any]:
            return self.schema(part, depth + 1, below)

        plain = _own(found) | self._object(found, inner)
        for key in ("items", "additionalProperties"):
            if isinstance(found.get(key), dict):
                plain[key] = inner(found[key])
        for key in ("oneOf", "anyOf"):
            if isinstance(found.get(key), list):
                plain[key] = [inner(part) for part in found[key]]
        whole = found.get("allOf")
        return _merged([*map(inner, whole), plain]) if isinstance(whole, list) else plain

    def _object(self, found: Mapping[str, Any], inner: _Inner) -> dict[str, Any]:
        """Return the properties of a schema, without read-only ones."""
        parts = found.get("properties")
        if not isinstance(parts, dict):
            return {}
        sent = {str(key): part for key, part in parts.items() if not self._is_read_only(part)}
        plain: dict[str, Any] = {"properties": {key: inner(part) for key, part in sent.items()}}
        needed = found.get("required")
        if isinstance(needed, list) and (
            kept := [key for key in needed if isinstance(key, str) and key in sent]
        ):
            plain["required"] = kept
        return plain

    def _is_read_only(self, part: Any) -> bool:
        found = self.resolved(part)
        return isinstance(found, dict) and found.get("readOnly") is True

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise DocumentError(f"it refers to {reference[:100]!r}, which is another document")
        found: Any = self._document
        for step in reference[2:].split("/"):
            key = step.replace("%7B", "{").replace("%7D", "}").replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or key not in found:
                raise DocumentError(f"it refers to {reference[:100]!r}, which is not there")
            found = found[key]
        return found


def _own(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema's own keywords as current JSON Schema: OpenAPI 3.0 differs in some."""
    plain = {key: part for key, part in found.items() if key in _KEPT}
    if isinstance(said := found.get("description"), str):
        plain["description"] = said[:_LONGEST]
    if found.get("nullable") is True and isinstance(kind := plain.get("type"), str):
        plain["type"] = [kind, "null"]
    for bound in ("Minimum", "Maximum"):
        exclusive = f"exclusive{bound}"
        if (
            isinstance(plain.get(exclusive), bool)
            and plain.pop(exclusive)
            and bound.lower() in plain
        ):
            plain[exclusive] = plain.pop(bound.lower())
    return plain


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Several schemas that all hold, as one: their properties and what is needed come together."""
    whole: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key == "properties":
                whole[key] = {**whole.get(key, {}), **value}
            elif key == "required":
                whole[key] = list(dict.fromkeys([*whole.get(key, []), *value]))
            else:
                whole[key] = value
    return whole
