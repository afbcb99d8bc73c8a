"""Tools of a foreign document: each is added once, and secrets are left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from orchestration.handoff import key_of
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.reading import MAX_LINE
from orchestration.validation import json_path

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_URL: Final = 2_000
_MAX_HEADER_NAME = 120


class ForeignTools:
    """Tools that were added to a definition; several agents may have the same one."""

    def __init__(self, document: ForeignDocument) -> None:
        self._document = document
        self._names: dict[str, str] = {}

    def add(self, name: str, steps: Steps, **fields: Any) -> tuple[str, dict[str, Any] | None]:
        """Return the name of the tool, and its fields if no equal tool existed."""
        identity = json.dumps([name, fields], sort_keys=True)
        if identity in self._names:
            return self._names[identity], None
        reading = self._document.reading
        own = self._names[identity] = reading.tool_name(name, json_path(*steps))
        tool = {"name": own} | fields
        reading.fields["tools"].append(tool)
        reading.keep("Tools", own)
        return own, tool

    def headers(self, value: object, steps: Steps) -> dict[str, str]:
        """Return the headers of a request, without those that name or contain a secret."""
        found: dict[str, str] = {}
        for key, each in self._document.fields(value, steps).items():
            if is_open_header(key, each):
                found[key] = each
            else:
                sentence = "Headers with secrets belong to a connection of the server."
                self._document.lose("Header", (*steps, key), sentence)
        return found

    def method(self, value: object, steps: Steps) -> str:
        """Return the method of a request; GET for a missing or unknown one."""
        method = value.upper() if isinstance(value, str) else value
        if method in METHODS:
            return str(method)
        if value is not None:
            self._document.lose("HTTP tool", steps, "The tool uses GET.")
        return "GET"

    def line(self, value: object, steps: Steps) -> str:
        """Return a description of at most 500 characters."""
        return self._document.reading.line(value, json_path(*steps))


def host_of(url: object) -> str:
    """Return the host of an address, or an empty text."""
    try:
        return (urlsplit(url).hostname or "") if isinstance(url, str) else ""
    except ValueError:
        return ""


def server_key(*names: object) -> str:
    """Return the key of a connection from the first name of the server that is a text."""
    return key_of(next((each for each in names if isinstance(each, str) and each), ""), "server")


def schema_of(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the JSON Schema of arguments."""
    schema = {"type": "object", "properties": dict(properties)}
    return schema | ({"required": required} if required else {})


_SECRETS = ("authorization", "cookie", "key", "secret", "token")


def is_open_header(key: str, value: object) -> bool:
    """Report whether a header is kept: it neither is a variable nor has the name of a secret."""
    is_short = 0 < len(key) <= _MAX_HEADER_NAME
    is_secret = any(each in key.lower() for each in _SECRETS)
    return (
        is_short
        and not is_secret
        and isinstance(value, str)
        and len(value) <= MAX_LINE
        and "$" not in value
    )
