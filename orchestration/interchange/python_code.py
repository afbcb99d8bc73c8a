"""Python source of generated files: literals, calls, identifiers and comments.

Every text of a definition enters the source through `literal` or `comment`, so that no text can
end a string, a comment or a line. The source is formatted: a value that does not fit on its line
has one item a line with a trailing comma, which formatters keep.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from orchestration.handoff import snake_case

LINE_LENGTH: Final = 100
MAX_IDENTIFIER: Final = 40
"""Length of a variable name before a number that makes it distinct."""

_STEP: Final = 4


@dataclass(frozen=True, slots=True)
class Code:
    """An expression in Python, such as the name of a variable, as a value beside JSON values."""

    source: str


@dataclass(frozen=True)
class Call:
    """A call, such as `Agent(name="billing")`; keyword arguments keep their order."""

    function: str
    positional: Sequence[object] = ()
    keywords: Mapping[str, object] = field(default_factory=dict)


def literal(value: object, indent: int = 0, used: int = 0) -> str:
    r"""Return a JSON value, or one with sets, `Code` and `Call` inside, as formatted Python source.

    `indent` is the indentation of the line in columns, `used` the number of characters on it
    before and after the value.

    >>> literal({"a": ['it"s', None, Code("billing")]})
    '{"a": [\'it"s\', None, billing]}'
    """
    opening, items, closing = _parts(value)
    if items is None:
        return opening
    line = _on_one_line(value, LINE_LENGTH - indent - used)
    if line is not None:
        return line
    inner = indent + _STEP
    lines = [
        f"{' ' * inner}{prefix}{literal(each, inner, len(prefix) + 1)}," for prefix, each in items
    ]
    return "\n".join([opening, *lines, " " * indent + closing]) if lines else opening + closing


def quoted(text: str) -> str:
    """Return a text as a Python literal on one line, in the quotes that formatters choose.

    These are double quotes, unless the text contains more double than single ones. Characters that
    cannot be seen, such as marks for the direction of writing, are escaped.
    """
    quote = "'" if text.count('"') > text.count("'") else '"'
    # A part has one kind of quotes at most, so its representation escapes none.
    body = f"\\{quote}".join(repr(part)[1:-1] for part in text.split(quote))
    return f"{quote}{body}{quote}"


def assignment(name: str, value: object, indent: int = 0) -> str:
    """Return the line or lines `name = value`."""
    return f"{' ' * indent}{name} = {literal(value, indent, len(name) + 3)}"


def comment(text: str, indent: int = 0) -> str:
    """Return a text as comment lines; every kind of line break starts a new comment line."""
    lines = ["".join(c if c.isprintable() else " " for c in line) for line in text.splitlines()]
    return "\n".join(f"{' ' * indent}# {line}".rstrip() for line in lines or [""])


def identifier(key: str, default: str = "part") -> str:
    """Return a name for a variable: `2nd-line` → `part_2nd_line`, `class` → `class_`."""
    name = snake_case(key)[:MAX_IDENTIFIER].rstrip("_") or default
    if name[0].isdigit():
        name = f"{default}_{name}"
    return f"{name}_" if keyword.iskeyword(name) or hasattr(builtins, name) else name


def identifiers(keys: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a distinct variable name for each key; `taken` are names of the generated file."""
    used, names = set(taken), dict[str, str]()
    for key in keys:
        base = name = identifier(key)
        number = 2
        while name in used:
            name, number = f"{base}_{number}", number + 1
        used.add(name)
        names[key] = name
    return names


_Items = Iterable[tuple[str, object]]


def _parts(value: object) -> tuple[str, _Items | None, str]:
    """Return the brackets of a value and its items with their prefixes; no items for a text."""
    match value:
        case str():
            return quoted(value), None, ""
        case Code():
            return value.source, None, ""
        case Call():
            named = ((f"{name}=", each) for name, each in value.keywords.items())
            return f"{value.function}(", chain((("", e) for e in value.positional), named), ")"
        case dict() | Mapping():
            return "{", ((f"{literal(key)}: ", each) for key, each in value.items()), "}"
        case list() | tuple():
            return "[", (("", each) for each in value), "]"
        case set() | frozenset() if value:
            return "{", (("", each) for each in sorted(value)), "}"
        case float():
            return repr(value).replace("e+", "e"), None, ""
        case _:
            return repr(value), None, ""


def _on_one_line(value: object, room: int) -> str | None:
    """Return a value on one line; None if it is wider than `room`, which ends the search early."""
    if room < 0 or (isinstance(value, str) and len(value) > room):
        return None
    opening, items, closing = _parts(value)
    if items is None:
        return opening if "\n" not in opening and _width(opening) <= room else None
    room -= len(opening) + len(closing)
    texts: list[str] = []
    for prefix, each in items:
        room -= _width(prefix) + (2 if texts else 0)
        text = _on_one_line(each, room)
        if text is None:
            return None
        room -= _width(text)
        texts.append(prefix + text)
    return opening + ", ".join(texts) + closing if room >= 0 else None


def _width(text: str) -> int:
    """Return the number of columns of a text, two for each character that may be wide."""
    return len(text) if text.isascii() else 2 * len(text)
