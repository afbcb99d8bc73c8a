"""Line numbers of values in a JSON text, by their paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from orchestration.validation import json_path, path_steps

Path: TypeAlias = str

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
"""Decoder for values that are skipped; their numbers are not converted."""


def line_numbers(text: str, paths: Iterable[Path]) -> dict[Path, int]:
    """Return the line of each path in a valid JSON text; lines count from 1.

    A path without a value, such as a missing field, has the line of the innermost object around it.
    Values without a path are skipped, so the text is read at most once.
    """
    ancestors = {path: [*_ancestors(path)] for path in paths}
    wanted = {path for each in ancestors.values() for path in each}
    starts: dict[Path, int] = {}
    _LineScanner(text, wanted, starts).visit("$", _SPACE.match(text, 0).end())  # type: ignore[union-attr]
    found = {
        path: next((starts[each] for each in reversed(outer) if each in starts), 0)
        for path, outer in ancestors.items()
    }
    return {path: text.count("\n", 0, start) + 1 for path, start in found.items()}


def _ancestors(path: Path) -> Iterator[Path]:
    """Yield the paths from the whole text to the value."""
    steps = path_steps(path)
    return (json_path(*steps[:end]) for end in range(len(steps) + 1))


class _LineScanner:
    """Scanner of a JSON text that records where the wanted values begin."""

    def __init__(self, text: str, wanted: set[Path], starts: dict[Path, int]) -> None:
        self.text, self.wanted, self.starts = text, wanted, starts

    def visit(self, path: Path, at: int) -> int:
        """Record the value at a position, and return the position after it."""
        self.starts.setdefault(path, at)
        match self.text[at]:
            case "{":
                return self._object(path, at + 1)
            case "[":
                return self._list(path, at + 1)
            case _:
                return self._skip(at)

    def _object(self, path: Path, at: int) -> int:
        while self.text[at := self._space(at)] != "}":
            key, after_key = _DECODER.raw_decode(self.text, at)
            value = self._space(self._space(after_key) + 1)
            inner = path + json_path(key)[1:]
            if inner in self.wanted:
                self.starts.setdefault(inner, at)  # the line of the key
                at = self.visit(inner, value)
            else:
                at = self._skip(value)
            at = self._after_comma(at)
        return at + 1

    def _list(self, path: Path, at: int) -> int:
        index = 0
        while self.text[at := self._space(at)] != "]":
            inner = f"{path}[{index}]"
            at = self.visit(inner, at) if inner in self.wanted else self._skip(at)
            at, index = self._after_comma(at), index + 1
        return at + 1

    def _skip(self, at: int) -> int:
        _, end = _DECODER.raw_decode(self.text, at)
        return end

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _after_comma(self, at: int) -> int:
        at = self._space(at)
        return at + 1 if self.text[at] == "," else at
