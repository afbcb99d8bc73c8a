"""Schemas of an OpenAPI document as JSON Schema without references, with limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from orchestration.exceptions import DocumentError

MAX_DEPTH = 10
"""Maximum depth of an argument's schema; deeper parts accept any value."""

MAX_PARTS = 500
"""Maximum number of schemas of one operation; further parts accept any value."""

MAX_REFERENCES = 20
"""Maximum length of a chain of references."""

MAX_SIZE = 1024 * 1024
"""Maximum size of the tools of one document in characters of JSON, as far as schemas cause it."""

PART_SIZE = 50
"""Minimum size of a schema or parameter, which limits their number to 20,000 in one document."""

_KEYWORDS = frozenset(
    {
        "type", "format", "title", "enum", "const", "default", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
        "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    }
)  # fmt: skip
_MAX_DESCRIPTION = 500

_Inner = Callable[[Any], dict[str, Any]]


class SizeBudget:
    """Size of the tools of one document.

    A small document can refer to a large schema from many operations, and so expand to any size.
    """

    def __init__(self) -> None:
        self._remaining = MAX_SIZE
        self._keywords: dict[int, tuple[dict[str, Any], int]] = {}

    def spend(self, size: int) -> None:
        """Take a size from the budget; raise `DocumentError` if it is used up."""
        self._remaining -= size
        if self._remaining < 0:
            raise DocumentError(f"the document's tools are larger than {MAX_SIZE // 1024**2} MiB")

    def own_keywords(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """Return a schema's own keywords, and take their size from the budget."""
        if id(node) not in self._keywords:
            plain = _own_keywords(node)
            self._keywords[id(node)] = plain, len(json.dumps(plain))
        plain, size = self._keywords[id(node)]
        self.spend(PART_SIZE + size)
        return plain


class SchemaResolver:
    """Schemas of one operation with resolved references."""

    def __init__(self, document: Mapping[str, Any], budget: SizeBudget) -> None:
        self._document, self._budget, self._parts = document, budget, 0

    def resolve(self, value: Any) -> Any:
        """Return the referenced value, or the value itself; raise `DocumentError`."""
        for _ in range(MAX_REFERENCES):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                return value
            value = self._at(value["$ref"])
        raise DocumentError("its references form a cycle")

    def parameter_schema(self, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """Return the schema of a parameter with its description."""
        content = parameter.get("content")
        first = next(iter(content.values()), None) if isinstance(content, dict) else None
        content_schema = first.get("schema") if isinstance(first, dict) else None
        schema = self.schema(parameter.get("schema") or content_schema)
        text = parameter.get("description")
        return (
            {"description": text[:_MAX_DESCRIPTION], **schema} if isinstance(text, str) else schema
        )

    def schema(self, value: Any, depth: int = 0, parents: tuple[int, ...] = ()) -> dict[str, Any]:
        """Resolve a schema with all its references; recursive parts accept any value."""
        node = self.resolve(value)
        self._parts += 1
        if not isinstance(node, dict) or depth > MAX_DEPTH or self._parts > MAX_PARTS:
            return {}
        if id(node) in parents:
            return {}
        path = (*parents, id(node))

        def inner(part: Any) -> dict[str, Any]:
            return self.schema(part, depth + 1, path)

        plain = self._budget.own_keywords(node) | self._object(node, inner)
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                plain[key] = inner(node[key])
        for key in ("oneOf", "anyOf"):
            if parts := _list(node.get(key)):
                self._budget.spend(PART_SIZE * len(parts))
                plain[key] = [inner(part) for part in parts]
        parts = _list(node.get("allOf"))
        self._budget.spend(PART_SIZE * len(parts))
        return _merge([*map(inner, parts), plain]) if parts else plain

    def _object(self, node: Mapping[str, Any], inner: _Inner) -> dict[str, Any]:
        """Return the properties of a schema, without read-only ones."""
        parts = node.get("properties")
        if not isinstance(parts, dict):
            return {}
        names = _list(node.get("required"))
        self._budget.spend(PART_SIZE * (len(parts) + len(names)) + sum(map(len, parts)))
        writable = {str(key): part for key, part in parts.items() if not self._is_read_only(part)}
        plain: dict[str, Any] = {"properties": {key: inner(part) for key, part in writable.items()}}
        if required := [key for key in names if isinstance(key, str) and key in writable]:
            plain["required"] = required
        return plain

    def _is_read_only(self, part: Any) -> bool:
        node = self.resolve(part)
        return isinstance(node, dict) and node.get("readOnly") is True

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise DocumentError(f"it refers to {reference[:100]!r}, which is another document")
        node: Any = self._document
        for step in reference[2:].split("/"):
            key = step.replace("%7B", "{").replace("%7D", "}").replace("~1", "/").replace("~0", "~")
            if not isinstance(node, dict) or key not in node:
                raise DocumentError(f"it refers to {reference[:100]!r}, which does not exist")
            node = node[key]
        return node


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _own_keywords(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema's own keywords as current JSON Schema: OpenAPI 3.0 differs in some."""
    plain = {key: part for key, part in node.items() if key in _KEYWORDS}
    if isinstance(text := node.get("description"), str):
        plain["description"] = text[:_MAX_DESCRIPTION]
    if node.get("nullable") is True and isinstance(kind := plain.get("type"), str):
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


def _merge(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge the parts of an `allOf` into one schema, including properties and required names."""
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
