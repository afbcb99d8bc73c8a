"""Entries of the events of tools: calls, approvals, and questions to the user."""

from __future__ import annotations

import json
from typing import Any

from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.event_entries.entry import Entries, entry
from designer.rehearsal.trace.event_fragments import (
    approval_decided,
    approval_form,
    approval_of,
    call_of,
    chat_entry,
    closed_entry,
    entry_part,
    open_entry,
    question,
    trace_row,
    upcoming,
)
from designer.rehearsal.trace.timeline_drawing import SpanKey, TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e
from orchestration.exceptions import DefinitionError
from orchestration.loading import TOOL_JSON, read_json


def _call_details(event: e.ToolCalled | e.ApprovalRequested, names: Names) -> dict[str, Any]:
    """Return the arguments of a call, indented."""
    return {"arguments": _indented(event.call.arguments)}


def _call_span(event: e.ToolCalled, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Begin a tool call."""
    drawing.begin(_call(event, event.call.id), event, traced, "tool", event.call.name)


def _result_details(event: e.ToolReturned, names: Names) -> dict[str, Any]:
    """Return the result of a call, indented."""
    return {"content": _indented(event.result.for_model())}


def _result_span(
    event: e.ToolReturned, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End a tool call."""
    failed = event.result.error is not None
    drawing.end(_call(event, event.result.call_id), event, failed=failed)


def _approval_span(
    event: e.ApprovalRequested, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Begin to wait for an approval."""
    drawing.begin(_approval(event, event.call.id), event, traced, "wait", event.call.name)


def _decision_details(event: e.ApprovalGiven, names: Names) -> dict[str, Any]:
    """Return the arguments that a person changed, indented."""
    return {} if event.arguments is None else {"arguments": _indented(event.arguments)}


def _decision_span(
    event: e.ApprovalGiven, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End the wait for an approval."""
    drawing.end(_approval(event, event.call_id), event)


def _question_span(
    event: e.InputRequested, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Begin to wait for the user's answer."""
    drawing.begin(_call(event, event.call_id), event, traced, "wait", event.question)


def _input_answer_span(
    event: e.InputReceived, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """End the wait for the user's answer."""
    drawing.end(_call(event, event.call_id), event)


def _indented(text: str) -> str:
    """Return JSON indented; return any other text unchanged."""
    try:
        return json.dumps(read_json(text, TOOL_JSON), indent=2, ensure_ascii=False)
    except DefinitionError:
        return text


def _approval(event: e.Event, call_id: str) -> SpanKey:
    return ("approval", event.run_id, call_id)


def _call(event: e.Event, call_id: str) -> SpanKey:
    return ("tool", event.run_id, call_id)


ENTRIES: Entries = {
    e.ToolCalled: entry(
        "tool",
        open_entry("tool_called", call_of),
        trace_row("tool_called"),
        details=_call_details,
        span=_call_span,
        agui=event_mapping.nothing,
    ),
    e.ToolReturned: entry(
        "tool",
        entry_part("time", "tool_returned_time", call_of),
        entry_part("result", "tool_returned", call_of),
        trace_row("tool_returned"),
        upcoming(),
        details=_result_details,
        span=_result_span,
        agui=event_mapping.tool_returned,
    ),
    e.ApprovalRequested: entry(
        "approval",
        open_entry("approval_requested", approval_of),
        trace_row("approval_requested"),
        approval_form(),
        details=_call_details,
        span=_approval_span,
        agui=event_mapping.approval_requested,
    ),
    e.ApprovalGiven: entry(
        "approval",
        closed_entry("approval_given", approval_of),
        trace_row("approval_given"),
        approval_decided(),
        details=_decision_details,
        span=_decision_span,
        agui=event_mapping.approval_given,
    ),
    e.InputRequested: entry(
        "question",
        chat_entry("input_requested"),
        trace_row("input_requested"),
        question("_composer_asked"),
        span=_question_span,
        agui=event_mapping.input_requested,
    ),
    e.InputReceived: entry(
        "answer",
        trace_row("input_received"),
        question("_composer_not_asked"),
        span=_input_answer_span,
        agui=event_mapping.input_received,
    ),
}
