"""One entry per event type: category, fragments, effects on canvas and timeline, AG-UI form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from designer.rehearsal.agui import event_mapping
from designer.rehearsal.agui.event_mapping import EventForm
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace import event_details, event_highlights, event_spans
from designer.rehearsal.trace.event_fragments import (
    Fragment,
    always,
    approval_decided,
    approval_form,
    approval_of,
    approvals_cleared,
    call_of,
    canvas_effect,
    chat_entry,
    closed_entry,
    composer,
    context_meter,
    entry_before,
    entry_part,
    feedback,
    is_assistant,
    is_automatic,
    is_between_runs,
    is_drawn_subtask,
    is_main,
    is_member,
    is_on_canvas,
    is_requested,
    is_supervision,
    open_entry,
    question,
    steering,
    task_of,
    totals,
    trace_row,
    turn_id,
    turn_of,
    upcoming,
)
from designer.rehearsal.trace.event_spans import EventSpan
from orchestration import events as e


@dataclass(frozen=True, slots=True)
class EventEntry:
    """Display of an event type."""

    category: str
    """One word, shown in the trace and used by its filter."""
    fragments: tuple[Fragment, ...]
    details: Callable[[Any, Names], dict[str, Any]]
    """Template context of the event in addition to its own fields."""
    highlight: Callable[[Any, Names], dict[str, str]]
    """Effect of the event on the canvas, by element ids."""
    span: EventSpan
    """Effect of the event on the timeline."""
    agui: EventForm
    """Events of the AG-UI protocol for the event."""


def entry(
    category: str,
    *fragments: Fragment,
    details: Callable[[Any, Names], dict[str, Any]] = event_details.none,
    highlight: Callable[[Any, Names], dict[str, str]] = event_highlights.stage,
    span: EventSpan = event_spans.none,
    agui: EventForm = event_mapping.custom,
) -> EventEntry:
    """Return an entry; by default it highlights the event's stage and is a custom AG-UI event."""
    return EventEntry(category, fragments, details, highlight, span, agui)


INCOMPLETE_ANSWER = closed_entry(
    "message_cut_off", lambda event: turn_id(event.run_id, event.turns)
)
"""The answer that was in progress when its run ended, if any."""

TABLE: dict[type[e.Event], EventEntry] = {
    e.RunStarted: entry(
        "run",
        trace_row("run_started"),
        composer("_composer_running"),
        steering("_running"),
        totals(is_main),
        canvas_effect(is_drawn_subtask),
        agui=event_mapping.run_started,
    ),
    e.MessageReceived: entry(
        "message",
        chat_entry("message_received"),
        trace_row("message_received"),
        span=event_spans.user_message,
        agui=event_mapping.message_received,
    ),
    e.MessageRouted: entry(
        "route",
        chat_entry("message_routed"),
        trace_row("message_routed"),
        upcoming(),
        canvas_effect(),
        details=event_details.route,
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
        details=event_details.turn,
        span=event_spans.turn,
        agui=event_mapping.turn_started,
    ),
    e.TurnRetried: entry(
        "turn",
        entry_before("turn_retried", turn_of),
        trace_row("turn_retried"),
        totals(),
        details=event_details.retry,
        span=event_spans.retry,
    ),
    # Never recorded: `render_text` and `AguiThread.answer_part` send its text.
    e.MessageDelta: entry("model", agui=event_mapping.nothing),
    e.MessageCompleted: entry(
        "model",
        closed_entry("message_completed", turn_of),
        trace_row("message_completed"),
        totals(),
        details=event_details.answer,
        span=event_spans.answer,
        agui=event_mapping.message_completed,
    ),
    e.ToolCalled: entry(
        "tool",
        open_entry("tool_called", call_of),
        trace_row("tool_called"),
        details=event_details.call,
        span=event_spans.call,
        agui=event_mapping.nothing,
    ),
    e.ToolReturned: entry(
        "tool",
        entry_part("time", "tool_returned_time", call_of),
        entry_part("result", "tool_returned", call_of),
        trace_row("tool_returned"),
        upcoming(),
        details=event_details.result,
        span=event_spans.result,
        agui=event_mapping.tool_returned,
    ),
    e.ApprovalRequested: entry(
        "approval",
        open_entry("approval_requested", approval_of),
        trace_row("approval_requested"),
        approval_form(),
        details=event_details.call,
        span=event_spans.approval,
        agui=event_mapping.approval_requested,
    ),
    e.ApprovalGiven: entry(
        "approval",
        closed_entry("approval_given", approval_of),
        trace_row("approval_given"),
        approval_decided(),
        details=event_details.decision,
        span=event_spans.decision,
        agui=event_mapping.approval_given,
    ),
    e.InputRequested: entry(
        "question",
        chat_entry("input_requested"),
        trace_row("input_requested"),
        question("_composer_asked"),
        span=event_spans.question,
        agui=event_mapping.input_requested,
    ),
    e.InputReceived: entry(
        "answer",
        trace_row("input_received"),
        question("_composer_not_asked"),
        span=event_spans.input_answer,
        agui=event_mapping.input_received,
    ),
    e.SubtaskStarted: entry(
        "subtask",
        open_entry("member_started", task_of, is_member),
        open_entry("task_started", task_of, is_assistant),
        trace_row("subtask_started"),
        canvas_effect(is_supervision),
        details=event_details.executor,
        highlight=event_highlights.subtask,
        agui=event_mapping.subtask_started,
    ),
    e.SubtaskCompleted: entry(
        "subtask",
        entry_part("end", "member_completed", task_of, is_member),
        entry_part("end", "task_completed", task_of, is_assistant),
        entry_part("output", "task_output", task_of, is_assistant),
        trace_row("subtask_completed"),
        canvas_effect(is_supervision),
        details=event_details.executor,
        highlight=event_highlights.subtask,
        agui=event_mapping.subtask_completed,
    ),
    e.HandoffRequested: entry(
        "handoff", trace_row("handoff_requested"), upcoming(), details=event_details.request
    ),
    e.HandoffAccepted: entry(
        "handoff",
        chat_entry("handoff_accepted"),
        trace_row("handoff_accepted"),
        upcoming(),
        canvas_effect(),
        steering("_over", is_between_runs),
        question("_composer_not_asked", is_between_runs),  # it is dropped
        details=event_details.handoff,
        highlight=event_highlights.handoff,
        span=event_spans.handoff,
        agui=event_mapping.handoff_accepted,
    ),
    e.HandoffRejected: entry(
        "handoff",
        chat_entry("handoff_rejected"),
        trace_row("handoff_rejected"),
        upcoming(),
        canvas_effect(),
        details=event_details.rejection,
        highlight=event_highlights.rejection,
        span=event_spans.rejection,
        agui=event_mapping.handoff_rejected,
    ),
    e.CycleDetected: entry("cycle", trace_row("cycle_detected"), details=event_details.loop),
    e.PhaseChanged: entry(
        "phase",
        chat_entry("phase_changed", is_automatic),
        trace_row("phase_changed"),
        upcoming(),
        canvas_effect(),
        details=event_details.phase_change,
        highlight=event_highlights.phase_change,
        agui=event_mapping.phase_changed,
    ),
    e.ContextWarned: entry("context", trace_row("context_warned")),
    e.LimitReached: entry("limit", trace_row("limit_reached"), details=event_details.limit),
    e.RunPaused: entry(
        "pause",
        chat_entry("run_paused", is_requested),
        trace_row("run_paused"),
        upcoming(),
        canvas_effect(always),
        composer("_composer_paused", always),
        steering("_paused", always),
        details=event_details.pause,
        highlight=event_highlights.pause,
        span=event_spans.pause,
        agui=event_mapping.run_paused,
    ),
    e.RunResumed: entry(
        "pause",
        chat_entry("run_resumed", is_requested),
        trace_row("run_resumed"),
        canvas_effect(always),
        composer("_composer_running", always),
        steering("_running", always),
        highlight=event_highlights.resumption,
        span=event_spans.resumption,
    ),
    e.SupervisorNoted: entry(
        "note",
        chat_entry("supervisor_noted"),
        trace_row("supervisor_noted"),
        details=event_details.note,
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
        highlight=event_highlights.takeover,
    ),
    e.HumanReplied: entry(
        "human",
        chat_entry("human_replied"),
        trace_row("human_replied"),
        details=event_details.reply,
        span=event_spans.human_reply,
        agui=event_mapping.human_replied,
    ),
    e.HumanLeft: entry(
        "human",
        chat_entry("human_left"),
        trace_row("human_left"),
        canvas_effect(),
        composer("_composer_idle"),
        steering("_idle"),
        highlight=event_highlights.hand_back,
    ),
    e.FeedbackGiven: entry("feedback", feedback(), trace_row("feedback_given")),
    e.HookFailed: entry("hook", trace_row("hook_failed")),
    e.RunCompleted: entry(
        "run",
        INCOMPLETE_ANSWER,
        chat_entry("run_completed"),
        trace_row("run_completed"),
        upcoming(),
        canvas_effect(is_on_canvas),
        composer("_composer_over"),
        steering("_over"),
        approvals_cleared(),
        details=event_details.end,
        highlight=event_highlights.end,
        span=event_spans.end,
        agui=event_mapping.run_completed,
    ),
    e.RunFailed: entry(
        "run",
        INCOMPLETE_ANSWER,
        chat_entry("run_failed"),
        trace_row("run_failed"),
        upcoming(),
        canvas_effect(is_on_canvas),
        composer("_composer_over"),
        steering("_over"),
        approvals_cleared(),
        highlight=event_highlights.end,
        span=event_spans.end,
        agui=event_mapping.run_failed,
    ),
}
"""The entry of each event type."""

CATEGORIES = tuple(dict.fromkeys(entry.category for entry in TABLE.values()))
"""Each category once, in the order of a typical conversation."""


def type_names(*event_types: type[e.Event]) -> list[str]:
    """Return the names of event types: `turn.started`."""
    return [str(event_type.__struct_config__.tag) for event_type in event_types]


TURN_TYPES = type_names(
    *(event_type for event_type in TABLE if issubclass(event_type, e.TurnEvent))
)
"""Names of the event types that have the number of a turn."""
