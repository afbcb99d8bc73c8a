"""Documents of other formats: JSON or YAML within bounds, as plain values."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from orchestration.exceptions import DocumentError

MAX_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 64
MAX_EVENTS = 400_000
"""Values of a YAML document, and the begins and ends of what holds them."""


def read_document(text: bytes | str) -> dict[str, Any]:
    """The object that a document holds, or `DocumentError` which says why there is none."""
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
        place = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"This is not JSON: {error.msg} ({place}).") from None
    if not isinstance(value, dict):
        raise DocumentError("The document is no object: it does not say what it is.")
    return value


_TOO_DEEP = "The document is nested too deeply."
_LONG_NUMBER = re.compile(r"[-+]?[0-9][0-9a-fA-Fxob_:.]{300,}")
"""Texts that YAML could read as a number, also to base 60, which takes quadratic time."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _is_long_number(event: yaml.ScalarEvent) -> bool:
    """Report whether an unquoted value is longer than any number and would be read as one."""
    may_be_one = event.tag is not None or not event.style
    return may_be_one and _LONG_NUMBER.fullmatch(event.value) is not None


def _yaml(text: str) -> Any:
    """The value of a YAML text without anchors: they unfold into more than they say."""
    depth = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise DocumentError(f"Line {line} refers to an anchor: write out what it means.")
            if isinstance(event, yaml.ScalarEvent) and _is_long_number(event):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise DocumentError(f"Line {line} holds a number that is too long.")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                raise DocumentError(_TOO_DEEP)
            if count > MAX_EVENTS:
                raise DocumentError("The document holds too many values.")
        return yaml.load(text, Loader=_LOADER)  # noqa: S506 - it is the safe one
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        said = getattr(error, "problem", None) or "a value that cannot be read"
        raise DocumentError(f"This is neither JSON nor YAML: {said}{place}.") from None
