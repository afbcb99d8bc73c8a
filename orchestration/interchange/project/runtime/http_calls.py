"""HTTP requests of tools: `{name}` in a template is an argument, escaped for its place."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")
JSON_PART = re.compile(rf'"(?:[^"\\]|\\.)*"|{PLACEHOLDER.pattern}')
ORIGIN = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
FORM = "application/x-www-form-urlencoded"


async def call(
    arguments: Mapping[str, Any],
    method: str,
    url: str,
    headers: Mapping[str, str] | None = None,
    body: str = "",
    take: str = "",
    connection: str = "",
) -> str:
    """Make a request and return its answer, or the part `take` (a JSON Pointer).

    With a connection, the environment variables `<connection>_URL` and `<connection>_AUTHORIZATION`
    contain the address and the value of the header `Authorization`.
    """
    sent = {name: fill_header(value, arguments) for name, value in (headers or {}).items()}
    filled = {name: value for name, value in sent.items() if value is not None}
    kind = next((v for name, v in filled.items() if name.lower() == "content-type"), "")
    content = content_of(method, body, [url, *(headers or {}).values()], kind, arguments)
    if content is not None and not kind:
        filled["Content-Type"] = "application/json"
    address = fill_url(url, arguments)
    if connection:
        address = below(os.environ[f"{connection}_URL"], address)
        if authorization := os.environ.get(f"{connection}_AUTHORIZATION"):
            filled["Authorization"] = authorization
    import httpx  # only for requests

    async with httpx.AsyncClient(follow_redirects=True, max_redirects=3) as client:
        response = await client.request(method, address, headers=filled, content=content)
    response.raise_for_status()
    return selected(response.json(), take) if take else response.text


def content_of(
    method: str, body: str, others: list[str], kind: str, arguments: Mapping[str, Any]
) -> str | None:
    """Return the body of a request; without a template, the unused arguments as JSON."""
    if not body:
        if method not in ("POST", "PUT", "PATCH"):
            return None
        used = {name for text in others for name in PLACEHOLDER.findall(text)}
        rest = {name: value for name, value in arguments.items() if name not in used}
        return json.dumps(rest, ensure_ascii=False)
    media = (kind or "application/json").partition(";")[0].strip().lower()
    if media == FORM:
        return pairs(body, arguments, quote_plus)
    if media == "application/json" or media.endswith("+json"):
        return fill_json(body, arguments)
    return PLACEHOLDER.sub(lambda match: text_of(arguments.get(match[1])), body)


def fill_url(template: str, arguments: Mapping[str, Any]) -> str:
    """Return an address; its arguments are percent-encoded and cannot change host or folder."""
    match = ORIGIN.match(template)
    origin = match.group() if match else ""
    if PLACEHOLDER.search(origin):
        raise ValueError("An argument cannot choose the host of an address.")
    path, _, query = template[len(origin) :].partition("#")[0].partition("?")
    path = PLACEHOLDER.sub(lambda match: in_path(match[1], arguments), path)
    if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", unquote(path))):
        raise ValueError("The path of an address contains “.” or “..”: write it without them.")
    encoded = pairs(query, arguments, quote)
    return origin + path + (f"?{encoded}" if encoded else "")


def in_path(name: str, arguments: Mapping[str, Any]) -> str:
    """Return an argument as one part of a path."""
    value = arguments.get(name)
    text = ",".join(map(text_of, value)) if isinstance(value, list) else text_of(value)
    if not text:
        raise ValueError(f"The argument {name!r} is required: it is a part of the address.")
    if any(part in (".", "..") for part in re.split(r"[/\\]", text)):
        raise ValueError(f"The argument {name!r} contains “.” or “..”: write it without them.")
    return quote(text, safe="")


def pairs(query: str, arguments: Mapping[str, Any], write: Callable[..., str]) -> str:
    """Return the pairs of a query or form, without those with a missing argument."""
    filled: list[str] = []
    for pair in query.split("&"):
        names = PLACEHOLDER.findall(pair)
        if any(arguments.get(name) is None for name in names):
            continue
        only = names[0] if len(set(names)) == 1 else ""
        values = arguments[only] if only and isinstance(arguments[only], list) else None
        choices = [arguments] if values is None else [{only: value} for value in values]
        filled += [fill_pair(pair, names, choice, write) for choice in choices]
    return "&".join(pair for pair in filled if pair)


def fill_pair(
    pair: str, names: list[str], arguments: Mapping[str, Any], write: Callable[..., str]
) -> str:
    """Return a pair with its arguments encoded."""
    encoded = {name: write(text_of(arguments[name]), safe="") for name in names}
    return PLACEHOLDER.sub(lambda match: encoded[match[1]], pair)


def fill_header(template: str, arguments: Mapping[str, Any]) -> str | None:
    """Return the value of a header; None if one of its arguments is missing."""
    if any(arguments.get(name) is None for name in PLACEHOLDER.findall(template)):
        return None
    value = PLACEHOLDER.sub(lambda match: text_of(arguments[match[1]]), template)
    if not (value.isascii() and value.isprintable()):
        raise ValueError("A header contains plain letters in one line only.")
    return value


def fill_json(template: str, arguments: Mapping[str, Any]) -> str:
    """Return a JSON body; a placeholder within quotes becomes a part of the text."""

    def write(match: re.Match[str]) -> str:
        if match[1] is not None:
            return json.dumps(arguments.get(match[1]), ensure_ascii=False)
        return PLACEHOLDER.sub(
            lambda place: json.dumps(text_of(arguments.get(place[1])), ensure_ascii=False)[1:-1],
            match[0],
        )

    return JSON_PART.sub(write, template)


def text_of(value: object) -> str:
    """Return an argument as text: text unchanged, nothing empty, any other value as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def below(base: str, address: str) -> str:
    """Return an address below the address of a connection."""
    base = base.rstrip("/")
    if ORIGIN.match(address):
        if not f"{address}/".startswith((f"{base}/", f"{base}?")):
            raise ValueError("The address of the tool is not below its connection's address.")
        return address
    path, mark, query = address.partition("?")
    rest = path.lstrip("/")
    return (f"{base}/{rest}" if rest else base) + mark + query


def selected(value: Any, pointer: str) -> str:
    """Return the part of a JSON value at a JSON Pointer (RFC 6901) as text."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
