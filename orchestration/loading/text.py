"""JSON that means one thing only, within bounds.

Python's parser takes duplicate keys, NaN, infinities and halves of surrogate pairs, and other
programs read such a file differently or not at all. They are refused here, each with its path.
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
"""Lists and objects within each other, the outermost counted."""
MAX_VALUES = 200_000
MAX_DIGITS = 100
MAX_FAULTS = 100


def decode(data: bytes | str) -> str:
    """The text of a file of at most 2 MiB in UTF-8, or `DefinitionError`."""
    try:
        encoded = data.encode() if isinstance(data, str) else data
        if len(encoded) > MAX_BYTES:
            raise DefinitionError([Fault("$", f"The file is larger than {MAX_BYTES:,} bytes.")])
        return encoded.decode().removeprefix("\ufeff")
    except UnicodeError:
        raise DefinitionError([Fault("$", "The file is not text in UTF-8.")]) from None


def parse(text: str, *, longest: int = MAX_TEXT) -> object:
    """The value of a JSON text, or `DefinitionError` with every fault up to 100.

    `longest` is how many characters a text within it may have.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_constant=_Unreadable,
            parse_float=_read_float,
            parse_int=_read_int,
        )
    except RecursionError:
        raise DefinitionError([Fault("$", _TOO_DEEP)]) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        raise DefinitionError([Fault("$", f"This is not JSON: {what} ({place}).")]) from None
    if faults := _Walk(value, longest).faults:
        raise DefinitionError(faults)
    return value


class _Doubled(dict[str, object]):
    """An object in which keys stand more than once."""

    keys_doubled: tuple[str, ...] = ()


class _Unreadable(str):
    """A number that is none (`NaN`), or that programs do not read alike (`1e999`)."""

    __slots__ = ()


def _read_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    doubled = _Doubled(entries)
    counts = Counter(key for key, _ in pairs)
    doubled.keys_doubled = tuple(key for key, count in counts.items() if count > 1)
    return doubled


def _read_float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else _Unreadable(text)


def _read_int(text: str) -> int | str:
    return int(text) if len(text) <= MAX_DIGITS else _Unreadable(text)


_PLAIN = frozenset((int, float, bool, type(None)))

_TOO_DEEP = f"Lists and objects are nested more than {MAX_DEPTH} deep."

_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
"""NUL, which PostgreSQL cannot keep, and halves of surrogate pairs, which UTF-8 cannot write."""


class _Walk:
    """One walk over a value: counts what it passes, and keeps the faults it meets.

    Most values are sound texts and numbers, so for those nothing is built and nothing is called.
    """

    def __init__(self, value: object, longest: int) -> None:
        self.faults: list[Fault] = []
        self.longest = longest
        self.passed = 0
        self._pass(value, ())

    def _pass(self, value: object, steps: Steps) -> None:
        if isinstance(value, str):
            self._pass_text(value, steps)
        elif isinstance(value, dict):
            self._pass_keys(value, steps)
            self._pass_entries(value.items(), steps)
        elif isinstance(value, list):
            self._pass_entries(enumerate(value), steps)

    def _pass_entries(self, entries: Iterable[tuple[str | int, object]], steps: Steps) -> None:
        if len(steps) >= MAX_DEPTH:
            self._note(steps, _TOO_DEEP)
            return
        for step, entry in entries:
            self.passed += 1
            if self.passed > MAX_VALUES:
                if self.passed == MAX_VALUES + 1:
                    self._note((), f"The file holds more than {MAX_VALUES:,} values.")
                return
            if type(entry) is str:
                if len(entry) > self.longest or not entry.isprintable():
                    self._pass_text(entry, (*steps, step))
            elif type(entry) not in _PLAIN:
                self._pass(entry, (*steps, step))

    def _pass_keys(self, entries: dict[str, object], steps: Steps) -> None:
        for key in entries:
            if len(key) > self.longest or not key.isprintable():
                self._pass_text(key, (*steps, key))
        if isinstance(entries, _Doubled):
            for key in entries.keys_doubled:
                self._note((*steps, key), f"The key {quoted(key)} stands here more than once.")

    def _pass_text(self, text: str, steps: Steps) -> None:
        if isinstance(text, _Unreadable):
            self._note(steps, f"{quoted(text)} is not a number that every program can read.")
        elif len(text) > self.longest:
            self._note(steps, f"The text is longer than {self.longest:,} characters.")
        elif found := _NO_CHARACTER.search(text):
            name = "the character NUL" if found[0] == "\x00" else "half of a surrogate pair"
            self._note(steps, f"The text holds {name}, which cannot be kept.")

    def _note(self, steps: Steps, message: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(at(steps), message))
