"""Typed access to the values of a foreign document; a value of another type becomes a loss."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from orchestration.interchange.reading import Reading, shown
from orchestration.validation import json_path

Steps = tuple[str | int, ...]
"""Keys and indexes from the root of a document."""


class ForeignDocument:
    """Values of a document, which are read by their steps from the root."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def lose(
        self, part: str, steps: Steps, consequence: str, description: str = "left out"
    ) -> None:
        """Report a part that is not read."""
        self.reading.lose(part, json_path(*steps), description, consequence)

    def fields(self, value: object, steps: Steps) -> Mapping[str, Any]:
        """Return an object; an empty one for a missing value."""
        if isinstance(value, Mapping):
            return value
        if value is not None:
            self.lose("Value", steps, "An object is expected here.")
        return {}

    def items(self, value: object, steps: Steps) -> list[Any]:
        """Return a list; an empty one for a missing value."""
        if isinstance(value, list):
            return value
        if value is not None:
            self.lose("Value", steps, "A list is expected here.")
        return []

    def texts(self, value: object, steps: Steps) -> Iterator[tuple[str, Steps]]:
        """Yield the texts of a list with their steps."""
        for index, each in enumerate(self.items(value, steps)):
            if isinstance(each, str):
                yield each, (*steps, index)
            else:
                self.lose("Value", (*steps, index), "A text is expected here.")

    def number(
        self, value: object, steps: Steps, least: float, most: float, *, whole: bool = False
    ) -> Any:
        """Return a number within limits, or None."""
        kinds = (int,) if whole else (int, float)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            sentence = f"A number from {least:g} to {most:g} is expected here."
            self.lose("Setting", steps, sentence, f"{shown(value)} left out")
            return None
        return value

    def unknown(
        self, value: Mapping[str, Any], steps: Steps, known: Collection[str], owner: str
    ) -> None:
        """Report the fields of an object that are not read."""
        for key, each in value.items():
            if key not in known and each not in (None, [], {}):
                self.lose("Field", (*steps, key), f"{owner} has no counterpart of it.")
