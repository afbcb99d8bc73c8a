"""YAML of exported files: the same value in YAML 1.1 and 1.2, for every text.

A text is written without quotes only if every parser reads it as a text; other texts are in
double quotes, and texts of several lines are literal blocks. No anchors and no tags are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_PLAIN: Final = re.compile(r"\$?[A-Za-z][\w./-]*(?:,? [\w./()-]+)*[.)]?", re.ASCII)
_NOT_TEXT: Final = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_MAX_KEY: Final = 200
"""Length of a key; parsers allow 1,024 characters in a key on one line."""
_STEP: Final = "  "


def yaml_text(value: Any) -> str:
    r"""Return a JSON value as YAML.

    >>> print(yaml_text({"name": "Billing", "tools": ["a", "no"], "text": "One\nTwo"}), end="")
    name: Billing
    tools:
      - a
      - "no"
    text: |-
      One
      Two
    """
    if isinstance(value, Mapping | list | tuple) and value:
        return "\n".join(_lines(value, "")) + "\n"
    return f"{_scalar(value, '')}\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of an object or a list with entries."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            head = _quoted_or_plain(key)
            if len(head) > _MAX_KEY:
                yield f"{indent}? {head}"
                head = ""
            yield from _entry(f"{indent}{head}:", each, indent + _STEP)
    else:
        for each in value:
            if isinstance(each, Mapping | list | tuple) and each:
                first, *rest = _lines(each, indent + _STEP)
                yield f"{indent}- {first[len(indent) + 2 :]}"
                yield from rest
            else:
                yield f"{indent}- {_scalar(each, indent + _STEP)}"


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping | list | tuple) and value:
        yield head
        yield from _lines(value, indent)
    else:
        yield f"{head} {_scalar(value, indent)}"


def _scalar(value: Any, indent: str) -> str:
    match value:
        case str():
            return _block(value, indent) if "\n" in value else _quoted_or_plain(value)
        case bool() | None:
            return json.dumps(value)
        case float():
            return _number(repr(value))
        case int():
            return str(value)
        case Mapping():
            return "{}"
        case _:
            return "[]"


def _number(text: str) -> str:
    """Return a number that YAML 1.1 reads as one: `1e-05` becomes `1.0e-05`."""
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else text


def _quoted_or_plain(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if quoted.isprintable() else "".join(map(_visible, quoted))


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _block(text: str, indent: str) -> str:
    """Return a text of several lines as a literal block, or in quotes if blanks would change."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if (
        not all(line.isprintable() and (not line or line == line.rstrip()) for line in lines)
        or not lines[0].strip()
        or lines[0][0] == " "
        or not lines[-1]
    ):
        return _quoted_or_plain(text)
    mark = "|" if text.endswith("\n") else "|-"
    return "\n".join([mark, *[f"{indent}{line}" if line else "" for line in lines]])
