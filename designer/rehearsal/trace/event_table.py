"""One entry per event type: its category, its fragments, their context and its highlight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace import event_details, event_highlights
from designer.rehearsal.trace.event_fragments import (
    Fragment,
    asked_for,
    between_runs,
    chat,
    closing,
    decided,
    deciding,
    drawn,
    everywhere,
    filling,
    goes_on,
    joins_in,
    light,
    meter,
    none_waiting,
    of_call,
    of_decision,
    of_task,
    of_turn,
    opening,
    preceding,
    question,
    state,
    steering,
    sums,
    trace,
    turn_id,
    works_apart,
    works_here,
)
from orchestration import events as e


@dataclass(frozen=True, slots=True)
class EventEntry:
    """How an event type is shown."""

    category: str
    """One word, shown in the trace and used by its filter."""
    fragments: tuple[Fragment, ...]
    details: Callable[[Any, Names], dict[str, Any]]
    """Template context of the event beside its own fields."""
    highlight: Callable[[Any, Names], dict[str, str]]
    """Effect of the event on the canvas, by element ids."""


def entry(
    category: str,
    *fragments: Fragment,
    details: Callable[[Any, Names], dict[str, Any]] = event_details.none,
    highlight: Callable[[Any, Names], dict[str, str]] = event_highlights.stage,
) -> EventEntry:
    """Return an entry; without details, and with a highlight of the event's own stage."""
    return EventEntry(category, fragments, details, highlight)


CUT_OFF = closing("message_cut_off", lambda event: turn_id(event.run_id, event.turns))
"""The answer that was under way when its run ended, where there was one."""

TABLE: dict[type[e.Event], EventEntry] = {
    e.RunStarted: entry(
        "run",
        trace("run_started"),
        state("_composer_running"),
        steering("_running"),
        light(works_here),
    ),
    e.MessageReceived: entry("message", chat("message_received"), trace("message_received")),
    e.MessageRouted: entry(
        "route",
        chat("message_routed"),
        trace("message_routed"),
        light(),
        details=event_details.route,
    ),
    e.RoutingFailed: entry("route", trace("routing_failed")),
    e.TurnStarted: entry(
        "turn", opening("turn_started", of_turn), trace("turn_started"), light(), meter()
    ),
    e.TurnRetried: entry(
        "turn",
        preceding("turn_retried", of_turn),
        trace("turn_retried"),
        details=event_details.retry,
    ),
    # Never recorded: the socket sends it by `render_text`.
    e.MessageDelta: entry("model"),
    e.MessageCompleted: entry(
        "model",
        closing("message_completed", of_turn),
        trace("message_completed"),
        sums(),
        details=event_details.answer,
    ),
    e.ToolCalled: entry(
        "tool", opening("tool_called", of_call), trace("tool_called"), details=event_details.call
    ),
    e.ToolReturned: entry(
        "tool",
        filling("time", "tool_returned_time", of_call),
        filling("result", "tool_returned", of_call),
        trace("tool_returned"),
        details=event_details.result,
    ),
    e.ApprovalRequested: entry(
        "approval",
        opening("approval_requested", of_decision),
        trace("approval_requested"),
        deciding(),
        details=event_details.call,
    ),
    e.ApprovalGiven: entry(
        "approval",
        closing("approval_given", of_decision),
        trace("approval_given"),
        decided(),
        details=event_details.decision,
    ),
    e.InputRequested: entry(
        "question", chat("input_requested"), trace("input_requested"), question("_composer_asked")
    ),
    e.InputReceived: entry("answer", trace("input_received"), question("_composer_not_asked")),
    e.SubtaskStarted: entry(
        "subtask",
        opening("member_started", of_task, joins_in),
        opening("task_started", of_task, works_apart),
        trace("subtask_started"),
        details=event_details.executor,
    ),
    e.SubtaskCompleted: entry(
        "subtask",
        filling("end", "member_completed", of_task, joins_in),
        filling("end", "task_completed", of_task, works_apart),
        filling("output", "task_output", of_task, works_apart),
        trace("subtask_completed"),
        details=event_details.executor,
    ),
    e.HandoffRequested: entry("handoff", trace("handoff_requested"), details=event_details.request),
    e.HandoffAccepted: entry(
        "handoff",
        chat("handoff_accepted"),
        trace("handoff_accepted"),
        light(),
        steering("_over", between_runs),
        details=event_details.handoff,
        highlight=event_highlights.handoff,
    ),
    e.HandoffRejected: entry(
        "handoff",
        chat("handoff_rejected"),
        trace("handoff_rejected"),
        light(),
        details=event_details.rejection,
        highlight=event_highlights.rejection,
    ),
    e.CycleDetected: entry("cycle", trace("cycle_detected"), details=event_details.loop),
    e.PhaseChanged: entry(
        "phase",
        chat("phase_changed", goes_on),
        trace("phase_changed"),
        light(),
        details=event_details.phase_change,
        highlight=event_highlights.phase_change,
    ),
    e.ContextWarned: entry("context", trace("context_warned")),
    e.LimitReached: entry("limit", trace("limit_reached")),
    e.RunPaused: entry(
        "pause",
        chat("run_paused", asked_for),
        trace("run_paused"),
        light(everywhere),
        state("_composer_paused", everywhere),
        steering("_paused", everywhere),
        details=event_details.pause,
        highlight=event_highlights.pause,
    ),
    e.RunResumed: entry(
        "pause",
        chat("run_resumed", asked_for),
        trace("run_resumed"),
        light(everywhere),
        state("_composer_running", everywhere),
        steering("_running", everywhere),
        highlight=event_highlights.resumption,
    ),
    e.SupervisorNoted: entry(
        "note", chat("supervisor_noted"), trace("supervisor_noted"), details=event_details.note
    ),
    e.HumanJoined: entry(
        "human",
        chat("human_joined"),
        trace("human_joined"),
        state("_composer_human"),
        steering("_human"),
    ),
    e.HumanReplied: entry(
        "human", chat("human_replied"), trace("human_replied"), details=event_details.reply
    ),
    e.HumanLeft: entry(
        "human", chat("human_left"), trace("human_left"), state("_composer_idle"), steering("_idle")
    ),
    e.HookFailed: entry("hook", trace("hook_failed")),
    e.RunCompleted: entry(
        "run",
        CUT_OFF,
        chat("run_completed"),
        trace("run_completed"),
        light(drawn),
        state("_composer_over"),
        steering("_over"),
        none_waiting(),
        details=event_details.end,
        highlight=event_highlights.end,
    ),
    e.RunFailed: entry(
        "run",
        CUT_OFF,
        chat("run_failed"),
        trace("run_failed"),
        light(drawn),
        state("_composer_over"),
        steering("_over"),
        none_waiting(),
        highlight=event_highlights.end,
    ),
}
"""The entry of each event type."""

CATEGORIES = tuple(dict.fromkeys(one.category for one in TABLE.values()))
"""Each category once, in the order of a typical conversation."""
