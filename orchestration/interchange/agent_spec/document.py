"""Components of a document that is read: references resolved, each with its path.

A reference that is missing or leads back to itself is no component. Nothing follows references
without a limit, so a document cannot make a reader run for long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

REFERENCE: Final = "$component_ref"
REFERENCED: Final = "$referenced_components"
MAX_REFERENCES: Final = 20
"""Maximum length of a chain of references."""


@dataclass(frozen=True)
class Component:
    """A component of a document."""

    path: str
    """The path of its definition, such as `$.$referenced_components.triage`."""
    fields: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The type of the component; empty if it has none."""
        kind = self.fields.get("component_type")
        return kind if isinstance(kind, str) else ""

    def at(self, *steps: str | int) -> str:
        """Return the path of a field."""
        return self.path + "".join(
            f"[{each}]" if isinstance(each, int) else f".{each}" for each in steps
        )

    def entries(self, name: str) -> list[tuple[str, Any]]:
        """Return the items of a list with their paths; none if the field is no list."""
        items = self.fields.get(name)
        if not isinstance(items, list):
            return []
        return [(self.at(name, index), item) for index, item in enumerate(items)]


class Document:
    """A document and its referenced components."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._parts: dict[str, Component] = {}
        for path, definitions in _definitions(root, "$"):
            for key, fields in definitions.items():
                if isinstance(fields, dict):
                    self._parts.setdefault(key, Component(f"{path}.{key}", fields))
        self.root = self.part(root, "$")

    def part(self, value: object, path: str) -> Component | None:
        """Return the component of a value or its reference; None if there is none."""
        for _ in range(MAX_REFERENCES):
            match value:
                case {"$component_ref": str(key)}:
                    found = self._parts.get(key)
                    if found is None:
                        return None
                    value, path = found.fields, found.path
                case dict():
                    return Component(path, value)
                case _:
                    return None
        return None


def _definitions(value: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield all lists of referenced components, at any depth."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == REFERENCED and isinstance(each, dict):
                yield f"{path}.{key}", each
            if key != "metadata":
                yield from _definitions(each, f"{path}.{key}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _definitions(each, f"{path}[{index}]")
