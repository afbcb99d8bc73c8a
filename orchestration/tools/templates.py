"""Templates of an HTTP call: `{name}` is a placeholder for an argument.

Each argument is escaped for its place. A model's value therefore cannot leave the path, add a
header or end a quoted text of the body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from orchestration.exceptions import ToolError
from orchestration.network import is_header_value

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")
"""The placeholder of an argument."""

_JSON_PART = re.compile(rf'"(?:[^"\\]|\\.)*"|{PLACEHOLDER.pattern}')
_ORIGIN = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def names_in(template: str) -> tuple[str, ...]:
    """Return the names of a template's placeholders without duplicates.

    >>> names_in("/orders/{order}?page={page}&of={order}")
    ('order', 'page')
    """
    return tuple(dict.fromkeys(PLACEHOLDER.findall(template)))


def origin_of(template: str) -> str:
    """Return scheme and host of an address as written; empty for a relative address.

    >>> origin_of("https://shop.example/{path}"), origin_of("/orders")
    ('https://shop.example', '')
    """
    match = _ORIGIN.match(template)
    return match.group() if match else ""


def fill_url(template: str, arguments: Mapping[str, Any]) -> str:
    """Return the address, or raise `ToolError`; arguments in the path are required.

    >>> fill_url("/orders/{order}?page={page}&tag={tag}", {"order": "a/b", "tag": ["x", "y z"]})
    '/orders/a%2Fb?tag=x&tag=y%20z'
    """
    origin = origin_of(template)
    path, _, query = template[len(origin) :].partition("#")[0].partition("?")
    if PLACEHOLDER.search(origin):
        raise ToolError("An argument cannot choose the host of an address.")
    path = PLACEHOLDER.sub(lambda match: _in_path(match[1], arguments), path)
    if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", unquote(path))):
        raise ToolError(f"The path {path[:80]!r} contains “.” or “..”: write it without them.")
    pairs = _pairs(query, arguments, quote)
    return origin + path + (f"?{pairs}" if pairs else "")


def fill_header(template: str, arguments: Mapping[str, Any]) -> str | None:
    """Return the value of a header; None if one of its arguments is missing."""
    if any(arguments.get(name) is None for name in names_in(template)):
        return None
    value = PLACEHOLDER.sub(lambda match: text_of(arguments[match[1]]), template)
    if not is_header_value(value):
        raise ToolError(f"A header cannot carry {value[:80]!r}: use plain letters in one line.")
    return value


def fill_json(template: str, arguments: Mapping[str, Any]) -> str:
    r"""Return a JSON body; a placeholder within quotes becomes a part of the text.

    >>> fill_json('{"to": "Dear {name}", "items": {items}}', {"name": 'Bo "B"', "items": [1]})
    '{"to": "Dear Bo \\"B\\"", "items": [1]}'
    """

    def write(match: re.Match[str]) -> str:
        if match[1] is not None:
            return json.dumps(arguments.get(match[1]), ensure_ascii=False)
        return PLACEHOLDER.sub(
            lambda place: json.dumps(_argument_text(place[1], arguments), ensure_ascii=False)[1:-1],
            match[0],
        )

    return _JSON_PART.sub(write, template)


def fill_form(template: str, arguments: Mapping[str, Any]) -> str:
    """Return a form body (`application/x-www-form-urlencoded`)."""
    return _pairs(template, arguments, quote_plus)


def fill_text(template: str, arguments: Mapping[str, Any]) -> str:
    """Return a body of any other type; arguments are not escaped."""
    return PLACEHOLDER.sub(lambda match: _argument_text(match[1], arguments), template)


def text_of(value: object) -> str:
    """Return an argument as text: text unchanged, any other value as JSON.

    >>> text_of("a"), text_of(True), text_of([1, "b"])
    ('a', 'true', '[1, "b"]')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _argument_text(name: str, arguments: Mapping[str, Any]) -> str:
    value = arguments.get(name)
    return "" if value is None else text_of(value)


def _in_path(name: str, arguments: Mapping[str, Any]) -> str:
    value = arguments.get(name)
    if isinstance(value, list):
        value = ",".join(map(text_of, value))
    text = "" if value is None else text_of(value)
    if not text:
        raise ToolError(f"The argument {name!r} is required: it is a part of the address.")
    if any(part in (".", "..") for part in re.split(r"[/\\]", text)):
        raise ToolError(f"{text[:80]!r} contains “.” or “..”: write {name!r} without them.")
    return quote(text, safe="")


def _pairs(query: str, arguments: Mapping[str, Any], write: Callable[..., str]) -> str:
    """Return the pairs of a query, without those with a missing argument.

    A list argument produces one pair for each of its values.
    """
    pairs = []
    for pair in query.split("&"):
        names = names_in(pair)
        if any(arguments.get(name) is None for name in names):
            continue
        only = names[0] if len(names) == 1 else ""
        values = arguments[only] if only and isinstance(arguments[only], list) else None
        for filled in [arguments] if values is None else [{only: value} for value in values]:
            encoded = {name: write(text_of(filled[name]), safe="") for name in names}
            pairs.append(_fill_pair(pair, encoded))
    return "&".join(pair for pair in pairs if pair)


def _fill_pair(pair: str, encoded: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: encoded[match[1]], pair)
