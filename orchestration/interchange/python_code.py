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
from typing import Any, Final

from orchestration.handoff import snake_case

LINE_LENGTH: Final = 100
MAX_IDENTIFIER: Final = 40
"""Length of a variable name before a number that makes it distinct."""

_STEP: Final = 4
_FLAT: Final = -1_000_000
"""An indentation at which every value fits on its line."""


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
    r"""Return a JSON value, or one with `Code` and `Call` inside, as formatted Python source.

    `indent` is the indentation of the line in columns, `used` the number of characters on it
    before and after the value.

    >>> literal({"a": ['it"s', None, Code("billing")]})
    '{"a": [\'it"s\', None, billing]}'
    """
    match value:
        case Code():
            return value.source
        case Call():
            named = [(f"{name}=", each) for name, each in value.keywords.items()]
            items = [*[("", each) for each in value.positional], *named]
            return _bracketed(f"{value.function}(", items, ")", indent, used)
        case str():
            return quoted(value)
        case Mapping():
            items = [(f"{literal(key)}: ", each) for key, each in value.items()]
            return _bracketed("{", items, "}", indent, used)
        case list() | tuple():
            return _bracketed("[", [("", each) for each in value], "]", indent, used)
        case _:
            return repr(value)


def quoted(text: str) -> str:
    """Return a text as a Python literal on one line, in double quotes if these need no escape.

    Characters that cannot be seen, such as marks for the direction of writing, are escaped.
    """
    source = repr(text)
    if source.startswith("'") and '"' not in source and "\\'" not in source:
        return f'"{source[1:-1]}"'
    return source


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


def _bracketed(
    opening: str, items: Sequence[tuple[str, Any]], closing: str, indent: int, used: int
) -> str:
    line = opening + ", ".join(prefix + literal(each, _FLAT) for prefix, each in items) + closing
    if not items or ("\n" not in line and indent + used + len(line) <= LINE_LENGTH):
        return line
    inner = indent + _STEP
    lines = [
        f"{' ' * inner}{prefix}{literal(each, inner, len(prefix) + 1)}," for prefix, each in items
    ]
    return "\n".join([opening, *lines, " " * indent + closing])
