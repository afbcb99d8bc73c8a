"""Parsing of YAML within limits, as far as it expresses the same values as JSON.

The events of the parser are counted and checked before their values are built. A text without
quotes is read by the core schema of YAML 1.2: `yes`, `1:30` and `2026-11-24` are texts. Tags,
aliases and keys that are no texts are refused; whole numbers as keys (`200:`) are read as texts,
because OpenAPI documents use them for status codes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.error_messages import quoted
from orchestration.loading.limits import MAX_DIGITS, DocumentLimits
from orchestration.loading.value_check import (
    InvalidValue,
    invalid_number,
    object_of,
    too_deep,
    too_many_values,
    value_faults,
)

PYTHON_SLOWDOWN = 10
"""The parser in Python, used where libyaml is missing, takes about ten times as long."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse_yaml(text: str, limits: DocumentLimits) -> object:
    """Return the value of a YAML text, or raise `DefinitionError` with up to 100 faults."""
    if match := _TAG_DIRECTIVE.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise _fault(f"Line {line} uses a YAML tag directive: remove it.")
    if (at := text.find(NEXT_LINE)) >= 0:
        line = text.count("\n", 0, at) + 1
        raise _fault(
            f"Line {line} contains the character U+0085, a line break in YAML 1.1 and a text in "
            'YAML 1.2: write it as "\\N" in double quotes, or remove it.'
        )
    try:
        value = _Builder(limits).document(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = getattr(error, "problem", None) or "it contains a character that is not allowed"
        raise _fault(f"This is neither JSON nor YAML: {problem}{place}.") from None
    if faults := value_faults(value, limits):
        raise DefinitionError(faults)
    return value


NEXT_LINE = "\x85"
"""Character that the parser, of YAML 1.1, would silently replace by a space or a line break."""

_TAG_DIRECTIVE = re.compile(r"^%TAG\b", re.MULTILINE)
"""The parser compares each of these lines with all others, which takes quadratic time."""


class _Builder:
    """Builder of one value from the events of a parser, which stops at the first limit."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits, self._count = limits, 0
        is_fast = _LOADER is not yaml.SafeLoader
        self._maximum = limits.max_values if is_fast else limits.max_values // PYTHON_SLOWDOWN

    def document(self, events: Iterable[yaml.Event]) -> object:
        """Return the value of the only document."""
        value: object = None
        documents, remaining = 0, iter(events)
        for event in remaining:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _fault(f"Line {_line(event)} starts a second YAML document: remove it.")
                value = self._value(next(remaining), remaining, 0)
        return value

    def _value(self, event: Any, events: Iterator[yaml.Event], depth: int) -> object:
        if isinstance(event, yaml.AliasEvent):
            return InvalidValue(f"Line {_line(event)} uses a YAML alias: replace it by the value.")
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event) if event.tag is None else _tagged(event)
        if depth >= self._limits.max_depth:
            raise _fault(f"{too_deep(self._limits)[:-1]} (line {_line(event)}).")
        if isinstance(event, yaml.MappingStartEvent):
            value: object = object_of(list(self._pairs(events, depth + 1)))
        else:
            value = list(self._items(events, depth + 1))
        return value if event.tag is None else _tagged(event)

    def _pairs(self, events: Iterator[Any], depth: int) -> Iterator[tuple[str, object]]:
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                return
            self._count_value()
            key = self._value(event, events, depth)
            value = self._value(next(events), events, depth)
            if type(key) is str:
                yield key, value
            elif type(key) is int:
                yield event.value, value
            else:
                yield _invalid_key(event, key)

    def _items(self, events: Iterator[yaml.Event], depth: int) -> Iterator[object]:
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            self._count_value()
            yield self._value(event, events, depth)

    def _count_value(self) -> None:
        self._count += 1
        if self._count > self._maximum:
            raise DefinitionError([too_many_values(self._limits)])


_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASES = {"0o": 8, "0x": 16}
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def _scalar(event: yaml.ScalarEvent) -> object:
    """Return the value of a scalar without a tag, by the core schema of YAML 1.2."""
    text: str = event.value
    if event.style:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= MAX_DIGITS else invalid_number(text)
    if _BASED.fullmatch(text):
        is_short = len(text) <= MAX_DIGITS
        return int(text[2:], _BASES[text[:2]]) if is_short else invalid_number(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else invalid_number(text)
    return invalid_number(text) if _NOT_FINITE.fullmatch(text) else text


def _tagged(event: Any) -> InvalidValue:
    tag = quoted(event.tag.replace("tag:yaml.org,2002:", "!!", 1))
    return InvalidValue(f"Line {_line(event)} uses the YAML tag {tag}: remove it.")


def _invalid_key(event: yaml.Event, key: object) -> tuple[str, InvalidValue]:
    """Return an entry that reports a key other than a text or a whole number."""
    if isinstance(key, InvalidValue):
        return "?", key
    name = event.value if isinstance(event, yaml.ScalarEvent) else "?"
    message = f"Line {_line(event)} has a key that is no text: write it in quotes."
    return name, InvalidValue(message)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _fault(message: str) -> DefinitionError:
    return DefinitionError([Fault("$", message)])
