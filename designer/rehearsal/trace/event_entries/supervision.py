"""Entries of the events of supervision: pauses, notes, the human, and feedback."""

from __future__ import annotations

from functools import partial
from typing import Any

from designer.canvas import edge_id, stage_id
from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.markdown import render_markdown
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.trace.event_entries.entry import Entries, entry
from designer.rehearsal.trace.event_fragments import (
    always,
    canvas_effect,
    chat_entry,
    composer,
    feedback,
    is_requested,
    question,
    steering,
    trace_row,
    upcoming,
)
from designer.rehearsal.trace.timeline_drawing import SpanKey, TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

_PAUSE: SpanKey = ("pause",)


def _pause_details(event: e.RunPaused, names: Names) -> dict[str, Any]:
    """Return the tool or the agent before which a run pauses."""
    is_tool = event.ahead == "call"
    return {"target": Speaker.named(event.target) if is_tool else names.speaker(event.target)}


def _pause_highlight(event: e.RunPaused, names: Names) -> dict[str, str]:
    """Return the position of a pause: before a stage or before a handoff.

    While a call waits for approval, a human has the conversation.
    """
    target = event.to_phase or names.target_phase(event.phase, event.target)
    is_drawn = any(phase == target for _, phase in names.transitions.get(event.phase, ()))
    if event.ahead == "handoff" and is_drawn:
        return {"paused": edge_id(event.phase, target)}
    waits = {"approval": "yes"} if event.why == "approval" else {}
    return {"paused": stage_id(event.phase)} | waits


def _pause_span(event: e.RunPaused, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a pause."""
    drawing.begin(_PAUSE, event, traced, "pause", "paused")


def _resumption_highlight(event: e.RunResumed, names: Names) -> dict[str, str]:
    """Return the mark of a run that continues."""
    return {"resumed": "yes"}


def _resumption_span(
    event: e.RunResumed, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End a pause."""
    drawing.end(_PAUSE, event)


def _note_details(event: e.SupervisorNoted, names: Names) -> dict[str, Any]:
    """Return the agent that receives a note, if it is only one."""
    return {} if event.to_agent is None else {"target": names.speaker(event.to_agent)}


def _takeover_highlight(event: e.HumanJoined, names: Names) -> dict[str, str]:
    """Return the mark of a human who answers."""
    return {"human": "yes"}


def _reply_details(event: e.HumanReplied, names: Names) -> dict[str, Any]:
    """Return a human's answer, rendered on demand."""
    return {"rendered": partial(render_markdown, event.text)}


def _human_reply_span(
    event: e.HumanReplied, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw an answer of the human."""
    drawing.add_message("human", Speaker.named("Human"), event, event.text)


def _hand_back_highlight(event: e.HumanLeft, names: Names) -> dict[str, str]:
    """Return the mark of a human who no longer answers."""
    return {"human": "no"}


ENTRIES: Entries = {
    e.RunPaused: entry(
        "pause",
        chat_entry("run_paused", is_requested),
        trace_row("run_paused"),
        upcoming(),
        canvas_effect(always),
        composer("_composer_paused", always),
        steering("_paused", always),
        details=_pause_details,
        highlight=_pause_highlight,
        span=_pause_span,
        agui=event_mapping.run_paused,
    ),
    e.RunResumed: entry(
        "pause",
        chat_entry("run_resumed", is_requested),
        trace_row("run_resumed"),
        canvas_effect(always),
        composer("_composer_running", always),
        steering("_running", always),
        highlight=_resumption_highlight,
        span=_resumption_span,
    ),
    e.SupervisorNoted: entry(
        "note",
        chat_entry("supervisor_noted"),
        trace_row("supervisor_noted"),
        details=_note_details,
    ),
    e.SupervisionLimited: entry("supervision", trace_row("supervision_limited")),
    e.HumanJoined: entry(
        "human",
        chat_entry("human_joined"),
        trace_row("human_joined"),
        canvas_effect(),
        composer("_composer_human"),
        steering("_human"),
        question("_composer_not_asked"),
        highlight=_takeover_highlight,
    ),
    e.HumanReplied: entry(
        "human",
        chat_entry("human_replied"),
        trace_row("human_replied"),
        details=_reply_details,
        span=_human_reply_span,
        agui=event_mapping.human_replied,
    ),
    e.HumanLeft: entry(
        "human",
        chat_entry("human_left"),
        trace_row("human_left"),
        canvas_effect(),
        composer("_composer_idle"),
        steering("_idle"),
        highlight=_hand_back_highlight,
    ),
    e.FeedbackGiven: entry("feedback", feedback(), trace_row("feedback_given")),
}
