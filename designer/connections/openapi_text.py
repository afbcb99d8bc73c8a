"""Parsing of JSON and YAML documents within limits."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from orchestration.exceptions import DocumentError

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 64
MAX_EVENTS = 400_000
"""Maximum number of YAML events: values, and starts and ends of collections."""


def read_document(text: bytes | str) -> dict[str, Any]:
    """Parse a document to an object, or raise `DocumentError`."""
    encoded = text.encode(errors="replace") if isinstance(text, str) else text
    if len(encoded) > MAX_BYTES:
        raise DocumentError("The document is larger than 2 MiB.")
    try:
        plain = encoded.decode().removeprefix("\ufeff")
    except UnicodeError:
        raise DocumentError("The document is not text in UTF-8.") from None
    try:
        value = json.loads(plain) if plain.lstrip().startswith(("{", "[")) else _yaml(plain)
    except RecursionError:
        raise DocumentError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"This is not JSON: {error.msg} ({position}).") from None
    if not isinstance(value, dict):
        raise DocumentError("The document is not a JSON or YAML object.")
    return value


_TOO_DEEP = "The document is nested too deeply."
_LONG_NUMBER = re.compile(r"[-+]?[0-9][0-9a-fA-Fxob_:.]{300,}")
"""Texts that YAML could parse as a number, even in base 60, which takes quadratic time."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _is_long_number(event: yaml.ScalarEvent) -> bool:
    """Report whether an unquoted value is longer than any number and would be read as one."""
    may_be_number = event.tag is not None or not event.style
    return may_be_number and _LONG_NUMBER.fullmatch(event.value) is not None


def _yaml(text: str) -> Any:
    """Parse YAML without aliases, which can expand to a huge value."""
    depth = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise DocumentError(f"Line {line} uses a YAML alias: replace it by the value.")
            if isinstance(event, yaml.ScalarEvent) and _is_long_number(event):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise DocumentError(f"Line {line} contains a number that is too long.")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                raise DocumentError(_TOO_DEEP)
            if count > MAX_EVENTS:
                raise DocumentError("The document contains too many values.")
        return yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        position = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = getattr(error, "problem", None) or "a value cannot be parsed"
        raise DocumentError(f"This is neither JSON nor YAML: {problem}{position}.") from None
