"""Check of a parsed JSON or YAML value, with the path of each fault.

The parsers keep what JSON cannot express as `DuplicateKeys` and `InvalidValue`, so that this check
can report its path.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from orchestration.exceptions import Fault
from orchestration.loading.error_messages import Steps, at, quoted
from orchestration.loading.limits import MAX_FAULTS, DocumentLimits


class DuplicateKeys(dict[str, object]):
    """An object with duplicate keys."""

    duplicates: tuple[str, ...] = ()


class InvalidValue(str):
    """A value that JSON cannot express, such as `NaN`; the text is the sentence of its fault."""

    __slots__ = ()


def invalid_number(text: str) -> InvalidValue:
    """Return the value for a constant such as `NaN`, or a number that programs read differently."""
    return InvalidValue(f"{quoted(text)} is not a number that every program can read.")


def object_of(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return the object of the key-value pairs of a parser."""
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    value = DuplicateKeys(entries)
    counts = Counter(key for key, _ in pairs)
    value.duplicates = tuple(key for key, count in counts.items() if count > 1)
    return value


def value_faults(value: object, limits: DocumentLimits) -> list[Fault]:
    """Return up to 100 faults of a parsed value."""
    return _Walk(value, limits).faults


def too_many_values(limits: DocumentLimits) -> Fault:
    """Return the fault of a document with too many values."""
    return Fault("$", f"There are more than {limits.max_values:,} values.")


def too_deep(limits: DocumentLimits) -> str:
    """Return the sentence about a value that is nested too deeply."""
    return f"Lists and objects are nested more than {limits.max_depth} deep."


_PLAIN = frozenset((int, float, bool, type(None)))

_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
"""NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode."""


class _Walk:
    """One walk over a value that collects faults.

    Most values are valid texts and numbers, so the walk creates and calls nothing for them.
    """

    def __init__(self, value: object, limits: DocumentLimits) -> None:
        self.faults: list[Fault] = []
        self.limits, self.max_text = limits, limits.max_text
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
        if len(steps) >= self.limits.max_depth:
            self._add_fault(steps, too_deep(self.limits))
            return
        for step, entry in entries:
            if type(entry) is str:
                if len(entry) > self.max_text or not entry.isprintable():
                    self._check_text(entry, (*steps, step))
            elif type(entry) not in _PLAIN:
                self._visit(entry, (*steps, step))

    def _visit_keys(self, entries: dict[str, object], steps: Steps) -> None:
        for key in entries:
            if len(key) > self.max_text or not key.isprintable():
                self._check_text(key, (*steps, key))
        if isinstance(entries, DuplicateKeys):
            for key in entries.duplicates:
                self._add_fault((*steps, key), f"The key {quoted(key)} appears more than once.")

    def _check_text(self, text: str, steps: Steps) -> None:
        if isinstance(text, InvalidValue):
            self._add_fault(steps, str(text))
        elif len(text) > self.max_text:
            self._add_fault(steps, f"The text is longer than {self.max_text:,} characters.")
        elif match := _FORBIDDEN.search(text):
            name = "the character NUL" if match[0] == "\x00" else "a lone surrogate"
            self._add_fault(steps, f"The text contains {name}, which cannot be stored.")

    def _add_fault(self, steps: Steps, message: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(at(steps), message))
