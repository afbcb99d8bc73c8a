"""Payload of a typed handoff as fields and values for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

MAX_FIELDS = 60
"""Maximum number of fields: models write payloads of any size."""


def fields(payload: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return the fields of a payload with their values; nested fields as `order.id`."""
    return list(islice(_fields(payload or {}), MAX_FIELDS))


def in_short(payload: Mapping[str, Any] | None) -> str:
    """Return the fields in one line: `order.id A-1043 · urgent yes`."""
    return " · ".join(f"{name} {value}" for name, value in fields(payload))


def _fields(payload: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in payload.items():
        if isinstance(value, dict) and value:
            yield from _fields(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", _text(value)


def _text(value: object) -> str:
    match value:
        case None | [] | {}:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(_text(item) for item in value)
        case dict():
            return ", ".join(f"{name} {text}" for name, text in fields(value))
        case _:
            return str(value)
