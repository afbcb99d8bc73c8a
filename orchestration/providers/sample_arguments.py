"""Sample arguments for a schema, taken from the user's message."""

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


def sample_arguments(
    schema: Mapping[str, Any], known: Mapping[str, str], text: str
) -> dict[str, Any]:
    """Return a value for each required property of a schema, and for each known one.

    A number is the first suitable one in the text. Other values are the schema's example, else
    the text itself.
    """
    properties, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else ()
    arguments: dict[str, Any] = {}
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(part, Mapping) and (name in needed or name in known):
            arguments[name] = _value(name, part, known, text)
    return arguments


def _value(name: str, part: Mapping[str, Any], known: Mapping[str, str], text: str) -> Any:
    kind = str(part.get("type"))
    if isinstance(choices := part.get("enum"), list) and choices:
        context = " ".join([text, *known.values()])
        return next((choice for choice in choices if str(choice) in context), choices[0])
    if kind == "object":
        return sample_arguments(part, known, text)
    if name in known and kind not in _EMPTY:
        return known[name]
    if (number := _number(name, kind, part, text)) is not None:
        return number
    if isinstance(examples := part.get("examples"), list) and examples:
        return examples[0]
    return _EMPTY[kind] if kind in _EMPTY else text[: int(_bound(part, "maxLength", len(text)))]


MAX_TOKEN = 40
"""Maximum length of a word with digits that counts as an identifier."""

_NUMBERED = frozenset({"code", "id", "nr", "number", "reference"})
_TOKEN = re.compile(r"\w+(?:[-/]\w+)*")
_DIGITS = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b")
"""An ordinal such as in "the 2nd of March": not the value of a field."""


def _number(name: str, kind: str, part: Mapping[str, Any], text: str) -> Any:
    """Return the first number in the text that the field allows."""
    text = _ORDINAL.sub("", text)
    if kind in ("integer", "number"):
        low, high = _bound(part, "minimum", 0), _bound(part, "maximum", float("inf"))
        numbers = [float(digits) for digits in _DIGITS.findall(text)]
        allowed = (number for number in numbers if low <= number <= high)
        number = next((n for n in allowed if kind == "number" or n.is_integer()), None)
        return int(number) if number is not None and number.is_integer() else number
    if kind != "string" or not _NUMBERED & _words(f"{name} {part.get('description', '')}"):
        return None
    longest = _bound(part, "maxLength", MAX_TOKEN)
    tokens = (token for token in _TOKEN.findall(text) if len(token) <= longest)
    return next((token for token in tokens if any(map(str.isdecimal, token))), None)


def _bound(part: Mapping[str, Any], name: str, default: float) -> float:
    """Return a numeric bound of the schema, else the default."""
    bound = part.get(name)
    return bound if isinstance(bound, int | float) else default


def _words(text: str) -> set[str]:
    """Split a name or a sentence into words: `orderNumber`, `order_number`, `the order number`."""
    return {word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)}
