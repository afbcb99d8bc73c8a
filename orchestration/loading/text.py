"""Parsing of unambiguous JSON within limits.

Python's parser accepts duplicate keys, NaN, infinities and lone surrogates, which other programs
read differently or not at all. They are refused here, each with its path.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable

from orchestration.definition import MAX_TEXT
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.error_messages import Steps, at, quoted

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 32
"""Maximum depth of nested lists and objects, including the outermost."""
MAX_VALUES = 200_000
MAX_DIGITS = 100
MAX_FAULTS = 100


def decode(data: bytes | str) -> str:
    """Return the text of a file in UTF-8 of at most 2 MiB, or raise `DefinitionError`."""
    try:
        encoded = data.encode() if isinstance(data, str) else data
        if len(encoded) > MAX_BYTES:
            raise DefinitionError([Fault("$", f"The file is larger than {MAX_BYTES:,} bytes.")])
        return encoded.decode().removeprefix("\ufeff")
    except UnicodeError:
        raise DefinitionError([Fault("$", "The file is not text in UTF-8.")]) from None


def parse(text: str, *, max_text: int = MAX_TEXT) -> object:
    """Return the value of a JSON text, or raise `DefinitionError` with up to 100 faults.

    `max_text` is the maximum length of a text in the value.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_constant=_InvalidNumber,
            parse_float=_read_float,
            parse_int=_read_int,
        )
    except RecursionError:
        raise DefinitionError([Fault("$", _TOO_DEEP)]) from None
    except json.JSONDecodeError as error:
        location = f"line {error.lineno}, column {error.colno}"
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        raise DefinitionError([Fault("$", f"This is not JSON: {reason} ({location}).")]) from None
    if faults := _Walk(value, max_text).faults:
        raise DefinitionError(faults)
    return value


class _DuplicateKeys(dict[str, object]):
    """An object with duplicate keys."""

    duplicates: tuple[str, ...] = ()


class _InvalidNumber(str):
    """A constant such as `NaN`, or a number that programs read differently (`1e999`)."""

    __slots__ = ()


def _read_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    value = _DuplicateKeys(entries)
    counts = Counter(key for key, _ in pairs)
    value.duplicates = tuple(key for key, count in counts.items() if count > 1)
    return value


def _read_float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else _InvalidNumber(text)


def _read_int(text: str) -> int | str:
    return int(text) if len(text) <= MAX_DIGITS else _InvalidNumber(text)


_PLAIN = frozenset((int, float, bool, type(None)))

_TOO_DEEP = f"Lists and objects are nested more than {MAX_DEPTH} deep."

_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
"""NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode."""


class _Walk:
    """One walk over a value that counts values and collects faults.

    Most values are valid texts and numbers, so the walk creates and calls nothing for them.
    """

    def __init__(self, value: object, max_text: int) -> None:
        self.faults: list[Fault] = []
        self.max_text = max_text
        self.count = 0
        self._visit(value, ())

    def _visit(self, value: object, steps: Steps) -> None:
        if isinstance(value, str):
            self._check_text(value, steps)
        elif isinstance(value, dict):
            self._visit_keys(value, steps)
            self._visit_entries(value.items(), steps)
        elif isinstance(value, list):
            self._visit_entries(enumerate(value), steps)

    def _visit_entries(self, entries: Iterable[tuple[str | int, object]], steps: Steps) -> None:
        if len(steps) >= MAX_DEPTH:
            self._add_fault(steps, _TOO_DEEP)
            return
        for step, entry in entries:
            self.count += 1
            if self.count > MAX_VALUES:
                if self.count == MAX_VALUES + 1:
                    self._add_fault((), f"The file contains more than {MAX_VALUES:,} values.")
                return
            if type(entry) is str:
                if len(entry) > self.max_text or not entry.isprintable():
                    self._check_text(entry, (*steps, step))
            elif type(entry) not in _PLAIN:
                self._visit(entry, (*steps, step))

    def _visit_keys(self, entries: dict[str, object], steps: Steps) -> None:
        for key in entries:
            if len(key) > self.max_text or not key.isprintable():
                self._check_text(key, (*steps, key))
        if isinstance(entries, _DuplicateKeys):
            for key in entries.duplicates:
                self._add_fault((*steps, key), f"The key {quoted(key)} appears more than once.")

    def _check_text(self, text: str, steps: Steps) -> None:
        if isinstance(text, _InvalidNumber):
            self._add_fault(steps, f"{quoted(text)} is not a number that every program can read.")
        elif len(text) > self.max_text:
            self._add_fault(steps, f"The text is longer than {self.max_text:,} characters.")
        elif match := _FORBIDDEN.search(text):
            name = "the character NUL" if match[0] == "\x00" else "a lone surrogate"
            self._add_fault(steps, f"The text contains {name}, which cannot be stored.")

    def _add_fault(self, steps: Steps, message: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(at(steps), message))
