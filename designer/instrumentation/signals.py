"""Signals of runs, for metrics and telemetry. A failing receiver has no effect on a run."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.dispatch import Signal

from orchestration.events import Event, MessageDelta

event_recorded = Signal()
"""An event was recorded by this process: `conversation_id`, `session_id` (of the conversation, not
of a subtask) and `event`. Not sent for copied or imported events."""

answer_begun = Signal()
"""The first text of an answer arrived: `conversation_id` and `delta`."""

run_taken_over = Signal()
"""A worker claimed the run of a dead one: `conversation_id`."""


def report_takeover(conversation_id: int) -> None:
    """Send `run_taken_over`."""
    run_taken_over.send_robust(None, conversation_id=conversation_id)


def report_recorded_event(conversation_id: int, session_id: str, event: Event) -> None:
    """Send `event_recorded` when the current transaction is committed."""
    if event_recorded.receivers:
        send = partial(
            event_recorded.send_robust,
            None,
            conversation_id=conversation_id,
            session_id=session_id,
            event=event,
        )
        transaction.on_commit(send, robust=True)


def report_delta(conversation_id: int, delta: MessageDelta) -> None:
    """Send `answer_begun` for the first text of an answer."""
    if delta.offset == 0:
        answer_begun.send_robust(None, conversation_id=conversation_id, delta=delta)
