"""Arguments made up for a schema, out of what the user wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_EMPTY: dict[str, Any] = {
    "integer": 0,
    "number": 0,
    "boolean": False,
    "array": [],
    "object": {},
    "null": None,
}


def make_up(schema: Mapping[str, Any], known: Mapping[str, str], text: str) -> dict[str, Any]:
    """Return a value for each required property of a schema, and for each known one.

    A number is one that the text names; what the text does not tell is the schema's own example,
    or the text itself.
    """
    properties, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else ()
    made: dict[str, Any] = {}
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(part, Mapping) and (name in needed or name in known):
            made[name] = _value(name, part, known, text)
    return made


def _value(name: str, part: Mapping[str, Any], known: Mapping[str, str], text: str) -> Any:
    kind = str(part.get("type"))
    if isinstance(choices := part.get("enum"), list) and choices:
        about = " ".join([text, *known.values()])
        return next((one for one in choices if str(one) in about), choices[0])
    if kind == "object":
        return make_up(part, known, text)
    if name in known and kind not in _EMPTY:
        return known[name]
    if (number := _number(name, kind, part, text)) is not None:
        return number
    if isinstance(examples := part.get("examples"), list) and examples:
        return examples[0]
    return _EMPTY[kind] if kind in _EMPTY else text[: int(_bound(part, "maxLength", len(text)))]


MAX_TOKEN = 40
"""Characters of a word with digits that may be a number of something."""

_NUMBERED = frozenset({"code", "id", "nr", "number", "reference"})
_TOKEN = re.compile(r"\w+(?:[-/]\w+)*")
_DIGITS = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b")
"""The 2nd of March: how many-eth, which is no number of anything."""


def _number(name: str, kind: str, part: Mapping[str, Any], text: str) -> Any:
    """The first number in the text that a field can take, if it is one for a number."""
    text = _ORDINAL.sub("", text)
    if kind in ("integer", "number"):
        low, high = _bound(part, "minimum", 0), _bound(part, "maximum", float("inf"))
        found = [float(one) for one in _DIGITS.findall(text)]
        fitting = (one for one in found if low <= one <= high)
        number = next((one for one in fitting if kind == "number" or one.is_integer()), None)
        return int(number) if number is not None and number.is_integer() else number
    if kind != "string" or not _NUMBERED & _words(f"{name} {part.get('description', '')}"):
        return None
    longest = _bound(part, "maxLength", MAX_TOKEN)
    tokens = (one for one in _TOKEN.findall(text) if len(one) <= longest)
    return next((one for one in tokens if any(map(str.isdecimal, one))), None)


def _bound(part: Mapping[str, Any], name: str, default: float) -> float:
    """A bound of the schema, if it is one."""
    bound = part.get(name)
    return bound if isinstance(bound, int | float) else default


def _words(text: str) -> set[str]:
    """The words of a name and of a sentence: `orderNumber`, `order_number`, `the order number`."""
    return {word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)}
