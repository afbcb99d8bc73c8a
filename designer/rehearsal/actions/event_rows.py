"""Rows of recorded events, and the JSON values that they contain."""

from __future__ import annotations

from typing import Any

from designer.models import RecordedEvent
from orchestration.events import Event, dump


def insert_event(
    conversation_id: int, event: Event, body: Any, key: str | None, request_id: str
) -> None:
    """Insert the row of an event."""
    RecordedEvent.objects.create(
        conversation_id=conversation_id,
        seq=event.seq,
        type=event.type,
        key=key,
        body=body,
        request_id=request_id or None,
    )


def event_body(event: Event) -> Any:
    """Return an event as JSON values, before any transaction begins."""
    return without_nul(dump(event))


def command_of(event: Event) -> str:
    """Return the id of an event's command; empty if it has none."""
    command_id: str = getattr(event, "command_id", "")
    return command_id


def without_nul(value: Any) -> Any:
    """Replace U+0000 in JSON values: models may write it, and PostgreSQL cannot store it."""
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in value else value
    if isinstance(value, dict):
        return {without_nul(key): without_nul(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_nul(part) for part in value]
    return value
