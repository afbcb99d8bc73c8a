"""Entries of the events of turns: messages, routing, model calls and answers."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.utils import timezone

from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.markdown import render_markdown
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.trace.event_entries.entry import Entries, entry
from designer.rehearsal.trace.event_fragments import (
    canvas_effect,
    chat_entry,
    closed_entry,
    context_meter,
    entry_before,
    open_entry,
    totals,
    trace_row,
    turn_of,
    upcoming,
)
from designer.rehearsal.trace.timeline_drawing import SpanKey, TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

_ENDINGS = {
    "length": "Cut off: the answer reached its maximum length.",
    "filtered": "The model's content filter removed a part of the answer.",
    "refused": "The model refused.",
}
"""Remarks about incomplete answers."""


def _user_message_span(
    event: e.MessageReceived, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw a message of the user."""
    if traced.kind is None:
        drawing.add_message("user", Speaker.named("User"), event, event.message.text)


def _route_details(event: e.MessageRouted, names: Names) -> dict[str, Any]:
    """Return the reason of a routing decision."""
    return {"why": names.replace_ids(event.reason)}


def _turn_details(event: e.TurnStarted, names: Names) -> dict[str, Any]:
    """Return the seconds since the model was called, at the time of rendering."""
    return {"waited": max(0, int((timezone.now() - event.at).total_seconds()))}


def _turn_span(event: e.TurnStarted, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a turn."""
    drawing.begin(_turn(event), event, traced, "turn", event.model)


def _retry_details(event: e.TurnRetried, names: Names) -> dict[str, Any]:
    """Return the waiting time and the next model."""
    next_model = f"{event.provider} ({event.model})" if event.model else event.provider
    return {"wait": f"{event.wait:.3g}", "next_model": next_model}


def _retry_span(event: e.TurnRetried, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End a failed attempt, and begin the next one."""
    drawing.end(_turn(event), event, failed=True)
    model = f"{event.model or event.provider} " if event.provider else ""
    drawing.begin(_turn(event), event, traced, "turn", f"{model}again after {event.error}")


def _answer_details(event: e.MessageCompleted, names: Names) -> dict[str, Any]:
    """Return an answer, rendered on demand, with a remark if it is incomplete."""
    ending = _ENDINGS.get(event.ending, "")
    return {"rendered": partial(render_markdown, event.text), "ending": ending}


def _answer_span(
    event: e.MessageCompleted, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End a turn."""
    drawing.end(_turn(event), event)


def _turn(event: e.Event) -> SpanKey:
    return ("turn", event.session_id, event.run_id)


ENTRIES: Entries = {
    e.MessageReceived: entry(
        "message",
        chat_entry("message_received"),
        trace_row("message_received"),
        span=_user_message_span,
        agui=event_mapping.message_received,
    ),
    e.MessageRouted: entry(
        "route",
        chat_entry("message_routed"),
        trace_row("message_routed"),
        upcoming(),
        canvas_effect(),
        details=_route_details,
    ),
    e.RoutingFailed: entry("route", trace_row("routing_failed")),
    e.TurnStarted: entry(
        "turn",
        open_entry("turn_started", turn_of),
        trace_row("turn_started"),
        upcoming(),
        canvas_effect(),
        context_meter(),
        totals(),
        details=_turn_details,
        span=_turn_span,
        agui=event_mapping.turn_started,
    ),
    e.TurnRetried: entry(
        "turn",
        entry_before("turn_retried", turn_of),
        trace_row("turn_retried"),
        totals(),
        details=_retry_details,
        span=_retry_span,
    ),
    # Never recorded: `render_text` and `AguiThread.answer_part` send its text.
    e.MessageDelta: entry("model", agui=event_mapping.nothing),
    e.MessageCompleted: entry(
        "model",
        closed_entry("message_completed", turn_of),
        trace_row("message_completed"),
        totals(),
        details=_answer_details,
        span=_answer_span,
        agui=event_mapping.message_completed,
    ),
}
