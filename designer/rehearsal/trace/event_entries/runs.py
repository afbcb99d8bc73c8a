"""Entries of the events of runs: start, limits and end."""

from __future__ import annotations

from typing import Any

from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import amount_in_words
from designer.rehearsal.trace.event_entries.entry import Entries, entry
from designer.rehearsal.trace.event_fragments import (
    approvals_cleared,
    canvas_effect,
    chat_entry,
    closed_entry,
    composer,
    is_drawn_subtask,
    is_main,
    is_on_canvas,
    steering,
    totals,
    trace_row,
    turn_id,
    upcoming,
)
from designer.rehearsal.trace.timeline_drawing import TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

_INCOMPLETE_ANSWER = closed_entry(
    "message_cut_off", lambda event: turn_id(event.run_id, event.turns)
)
"""The answer that was in progress when its run ended, if any."""


def _limit_details(event: e.LimitReached, names: Names) -> dict[str, Any]:
    """Return the used part of a limit in words."""
    return {"amount": amount_in_words(event.resource, event.used, event.limit)}


def _end_details(event: e.RunCompleted, names: Names) -> dict[str, Any]:
    """Return the reason of a run's end in words."""
    return {"reason": event.reason.replace("_", " ")}


def _end_highlight(event: e.RunCompleted | e.RunFailed, names: Names) -> dict[str, str]:
    """Return the mark of a run that is over; the conversation may wait for a human."""
    waits = isinstance(event, e.RunCompleted) and event.reason == e.StopReason.WAITING_FOR_HUMAN
    return {"over": "yes"} | ({"human": "yes"} if waits else {})


def _end_span(
    event: e.RunCompleted | e.RunFailed, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End the spans of a run."""
    drawing.end_run(event, traced, failed=isinstance(event, e.RunFailed))


ENTRIES: Entries = {
    e.RunStarted: entry(
        "run",
        trace_row("run_started"),
        composer("_composer_running"),
        steering("_running"),
        totals(is_main),
        canvas_effect(is_drawn_subtask),
        agui=event_mapping.run_started,
    ),
    e.ContextWarned: entry("context", trace_row("context_warned")),
    e.LimitReached: entry("limit", trace_row("limit_reached"), details=_limit_details),
    e.HookFailed: entry("hook", trace_row("hook_failed")),
    e.RunCompleted: entry(
        "run",
        _INCOMPLETE_ANSWER,
        chat_entry("run_completed"),
        trace_row("run_completed"),
        upcoming(),
        canvas_effect(is_on_canvas),
        composer("_composer_over"),
        steering("_over"),
        approvals_cleared(),
        details=_end_details,
        highlight=_end_highlight,
        span=_end_span,
        agui=event_mapping.run_completed,
    ),
    e.RunFailed: entry(
        "run",
        _INCOMPLETE_ANSWER,
        chat_entry("run_failed"),
        trace_row("run_failed"),
        upcoming(),
        canvas_effect(is_on_canvas),
        composer("_composer_over"),
        steering("_over"),
        approvals_cleared(),
        highlight=_end_highlight,
        span=_end_span,
        agui=event_mapping.run_failed,
    ),
}
