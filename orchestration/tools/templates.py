"""Templates of an HTTP call: `{name}` stands for an argument, written as its place needs it.

What a model wrote can fill its place and nothing beside it: it leaves no path, adds no header and
closes no text of a body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from orchestration.exceptions import ToolError
from orchestration.network import can_carry

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")
"""An argument's place in a template."""

_JSON_PART = re.compile(rf'"(?:[^"\\]|\\.)*"|{PLACEHOLDER.pattern}')
_ORIGIN = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def names_in(template: str) -> tuple[str, ...]:
    """The arguments that a template has places for, each once.

    >>> names_in("/orders/{order}?page={page}&of={order}")
    ('order', 'page')
    """
    return tuple(dict.fromkeys(PLACEHOLDER.findall(template)))


def origin_of(template: str) -> str:
    """Scheme and host of an address, as they are written; empty where it has none.

    >>> origin_of("https://shop.example/{path}"), origin_of("/orders")
    ('https://shop.example', '')
    """
    found = _ORIGIN.match(template)
    return found.group() if found else ""


def fill_url(template: str, arguments: Mapping[str, Any]) -> str:
    """An address, or `ToolError`: in its path every argument is needed, in its query none is.

    >>> fill_url("/orders/{order}?page={page}&tag={tag}", {"order": "a/b", "tag": ["x", "y z"]})
    '/orders/a%2Fb?tag=x&tag=y%20z'
    """
    origin = origin_of(template)
    path, _, query = template[len(origin) :].partition("#")[0].partition("?")
    if PLACEHOLDER.search(origin):
        raise ToolError("An argument cannot choose the host of an address.")
    path = PLACEHOLDER.sub(lambda found: _in_path(found[1], arguments), path)
    if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", unquote(path))):
        raise ToolError(f"The path {path[:80]!r} would lead elsewhere: write it without “..”.")
    pairs = _pairs(query, arguments, quote)
    return origin + path + (f"?{pairs}" if pairs else "")


def fill_header(template: str, arguments: Mapping[str, Any]) -> str | None:
    """The value of a header; None where one of its arguments is not given."""
    if any(arguments.get(name) is None for name in names_in(template)):
        return None
    value = PLACEHOLDER.sub(lambda found: text_of(arguments[found[1]]), template)
    if not can_carry(value):
        raise ToolError(f"A header cannot carry {value[:80]!r}: use plain letters in one line.")
    return value


def fill_json(template: str, arguments: Mapping[str, Any]) -> str:
    r"""A body in JSON: an argument is written as JSON, and within quotes as a part of the text.

    >>> fill_json('{"to": "Dear {name}", "items": {items}}', {"name": 'Bo "B"', "items": [1]})
    '{"to": "Dear Bo \\"B\\"", "items": [1]}'
    """

    def write(found: re.Match[str]) -> str:
        if found[1] is not None:
            return json.dumps(arguments.get(found[1]), ensure_ascii=False)
        return PLACEHOLDER.sub(
            lambda place: json.dumps(_given(place[1], arguments), ensure_ascii=False)[1:-1],
            found[0],
        )

    return _JSON_PART.sub(write, template)


def fill_form(template: str, arguments: Mapping[str, Any]) -> str:
    """A body as a form sends it (`application/x-www-form-urlencoded`)."""
    return _pairs(template, arguments, quote_plus)


def fill_text(template: str, arguments: Mapping[str, Any]) -> str:
    """A body of any other kind: an argument is written as it stands."""
    return PLACEHOLDER.sub(lambda found: _given(found[1], arguments), template)


def text_of(value: object) -> str:
    """An argument as text: what is no text as JSON.

    >>> text_of("a"), text_of(True), text_of([1, "b"])
    ('a', 'true', '[1, "b"]')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _given(name: str, arguments: Mapping[str, Any]) -> str:
    value = arguments.get(name)
    return "" if value is None else text_of(value)


def _in_path(name: str, arguments: Mapping[str, Any]) -> str:
    value = arguments.get(name)
    if isinstance(value, list):
        value = ",".join(map(text_of, value))
    text = "" if value is None else text_of(value)
    if not text:
        raise ToolError(f"The argument {name!r} is needed: it is a part of the address.")
    if any(part in (".", "..") for part in re.split(r"[/\\]", text)):
        raise ToolError(f"The argument {name!r} cannot be {text[:80]!r}: it would lead elsewhere.")
    return quote(text, safe="")


def _pairs(query: str, arguments: Mapping[str, Any], write: Callable[..., str]) -> str:
    """The pairs of a query; those whose argument is not given are left out.

    A list makes a pair of each of its values.
    """
    written = []
    for pair in query.split("&"):
        names = names_in(pair)
        if any(arguments.get(name) is None for name in names):
            continue
        lone = names[0] if len(names) == 1 else ""
        many = arguments[lone] if lone and isinstance(arguments[lone], list) else None
        for filled in [arguments] if many is None else [{lone: one} for one in many]:
            encoded = {name: write(text_of(filled[name]), safe="") for name in names}
            written.append(_with(pair, encoded))
    return "&".join(pair for pair in written if pair)


def _with(pair: str, encoded: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda found: encoded[found[1]], pair)
