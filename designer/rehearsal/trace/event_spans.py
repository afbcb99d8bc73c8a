"""Effect of each event type on the timeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from designer.rehearsal.fragments.names import Speaker
from designer.rehearsal.trace.timeline_drawing import SpanKey, TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

EventSpan = Callable[[Any, TimelineDrawing, TracedConversation], None]
"""Function that draws an event of a conversation."""

_PAUSE: SpanKey = ("pause",)


def none(event: e.Event, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Draw nothing."""


def user_message(
    event: e.MessageReceived, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw a message of the user."""
    if traced.kind is None:
        drawing.add_message("user", Speaker.named("User"), event, event.message.text)


def human_reply(
    event: e.HumanReplied, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw an answer of the human."""
    drawing.add_message("human", Speaker.named("Human"), event, event.text)


def turn(event: e.TurnStarted, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a turn."""
    drawing.begin(_turn(event), event, traced, "turn", event.model)


def retry(event: e.TurnRetried, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End a failed attempt, and begin the next one."""
    drawing.end(_turn(event), event, failed=True)
    model = f"{event.model or event.provider} " if event.provider else ""
    drawing.begin(_turn(event), event, traced, "turn", f"{model}again after {event.error}")


def answer(event: e.MessageCompleted, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End a turn."""
    drawing.end(_turn(event), event)


def call(event: e.ToolCalled, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a tool call."""
    drawing.begin(_call(event, event.call.id), event, traced, "tool", event.call.name)


def result(event: e.ToolReturned, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End a tool call."""
    failed = event.result.error is not None
    drawing.end(_call(event, event.result.call_id), event, failed=failed)


def question(event: e.InputRequested, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin to wait for the user's answer."""
    drawing.begin(_call(event, event.call_id), event, traced, "wait", event.question)


def input_answer(
    event: e.InputReceived, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End the wait for the user's answer."""
    drawing.end(_call(event, event.call_id), event)


def approval(
    event: e.ApprovalRequested, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Begin to wait for an approval."""
    drawing.begin(_approval(event, event.call.id), event, traced, "wait", event.call.name)


def decision(event: e.ApprovalGiven, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End the wait for an approval."""
    drawing.end(_approval(event, event.call_id), event)


def pause(event: e.RunPaused, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a pause."""
    drawing.begin(_PAUSE, event, traced, "pause", "paused")


def resumption(event: e.RunResumed, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """End a pause."""
    drawing.end(_PAUSE, event)


def handoff(event: e.HandoffAccepted, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Draw an accepted handoff."""
    drawing.add_handoff(event, traced, event.from_agent, event.to_agent, refused=False)


def rejection(
    event: e.HandoffRejected, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw a rejected handoff, if its target exists."""
    if event.to_agent:
        drawing.add_handoff(event, traced, event.agent_id, event.to_agent, refused=True)


def end(
    event: e.RunCompleted | e.RunFailed, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End the spans of a run."""
    drawing.end_run(event, traced, failed=isinstance(event, e.RunFailed))


def _turn(event: e.Event) -> SpanKey:
    return ("turn", event.session_id, event.run_id)


def _call(event: e.Event, call_id: str) -> SpanKey:
    return ("tool", event.run_id, call_id)


def _approval(event: e.Event, call_id: str) -> SpanKey:
    return ("approval", event.run_id, call_id)
