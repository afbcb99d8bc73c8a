"""Metrics of runs, derived from the recorded events of this process."""

from __future__ import annotations

from datetime import datetime

from cachetools import LRUCache

from designer.instrumentation import answer_begun, event_recorded, run_taken_over
from designer.monitoring.metrics import (
    FIRST_TOKEN_SECONDS,
    HANDOFFS,
    RUNS,
    TAKEOVERS,
    TOKENS,
    TOOL_CALLS,
    TURN_RETRIES,
    TURN_SECONDS,
)
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
    StopReason,
    ToolReturned,
    TurnStarted,
)

MAX_TURNS = 10_000
"""Maximum number of turns in progress whose times are measured."""

Turn = tuple[int, str, int]
"""Conversation, run and number of a turn."""

_STARTED: LRUCache[Turn, datetime] = LRUCache(MAX_TURNS)
"""Times of the calls of the turns in progress."""

_SILENT: LRUCache[Turn, datetime] = LRUCache(MAX_TURNS)
"""The same, of the turns without a text so far."""


def connect() -> None:
    """Derive the metrics from now on."""
    event_recorded.connect(count_event)
    answer_begun.connect(measure_first_token)
    run_taken_over.connect(count_takeover)


def count_event(*, conversation_id: int, session_id: str, event: Event, **_: object) -> None:
    """Count a recorded event. Runs of subtasks are part of their run and not counted."""
    match event:
        case TurnStarted():
            turn = conversation_id, event.run_id, event.turn
            _STARTED[turn] = _SILENT[turn] = event.at
        case _ if event.is_retry:
            TURN_RETRIES.inc()
        case MessageCompleted():
            _count_answer(conversation_id, event)
        case ToolReturned():
            TOOL_CALLS.labels("ok" if event.result.error is None else "error").inc()
        case HandoffAccepted():
            HANDOFFS.labels("accepted").inc()
        case HandoffRejected():
            HANDOFFS.labels(event.code).inc()
        case RunCompleted() if event.session_id == session_id:
            RUNS.labels(event.reason.value).inc()
        case RunFailed() if event.session_id == session_id:
            RUNS.labels(StopReason.FAILED.value).inc()


def count_takeover(**_: object) -> None:
    """Count a run that was taken over from a dead worker."""
    TAKEOVERS.inc()


def measure_first_token(*, conversation_id: int, delta: MessageDelta, **_: object) -> None:
    """Measure the time until the first text of a turn; a text after a retry is a later one."""
    start = _SILENT.pop((conversation_id, delta.run_id, delta.turn), None)
    if start is not None:
        FIRST_TOKEN_SECONDS.observe((delta.at - start).total_seconds())


def _count_answer(conversation_id: int, event: MessageCompleted) -> None:
    turn = conversation_id, event.run_id, event.turn
    _SILENT.pop(turn, None)
    if (start := _STARTED.pop(turn, None)) is not None:  # otherwise another process began it
        TURN_SECONDS.observe((event.at - start).total_seconds())
    TOKENS.labels("input").inc(event.usage.input_tokens)
    TOKENS.labels("output").inc(event.usage.output_tokens)
