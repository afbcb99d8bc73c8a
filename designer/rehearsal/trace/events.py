"""Events as HTML, by the fragments of the event table.

The socket sends the fragments of an event out of band. The page contains the same fragments, with
each later one in the place of its predecessor, so a reload shows the same as the live view. A
template may use the event, earlier events of the run, and the definitions of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from designer.rehearsal.trace.event_context import event_context
from designer.rehearsal.trace.event_fragments import (
    DECISION,
    PANES,
    TRACE,
    EventFragment,
    FragmentSlot,
    member_log_id,
    turn_id,
)
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.event_usage import event_usage
from designer.rehearsal.trace.next_step import next_step
from designer.rehearsal.trace.supervisor_calls import call_context
from designer.rehearsal.trace.trace_state import TracedConversation, TraceState
from orchestration import events as e


def render_event(event: e.Event, trace_state: TraceState) -> str:
    """Render an event for the socket: every fragment out of band."""
    return "".join(fragment.out_of_band() for fragment in render_fragments(event, trace_state))


def render_panes(events: Iterable[e.Event], trace_state: TraceState) -> dict[str, SafeString]:
    """Render events for the page: the content of each pane, by its name in templates."""
    entries: dict[str, dict[str, str]] = {pane: {} for pane in PANES}
    for event in events:
        for fragment in render_fragments(event, trace_state):
            slot = fragment.slot
            container = entries.setdefault(slot.container, {})
            if slot.fragment.mode == "clears":
                container.clear()
            elif slot.fragment.mode == "precedes":
                successor = container.pop(slot.target)
                container |= {slot.dom_id: fragment.html, slot.target: successor}
            elif slot.target:
                container[slot.target] = container[slot.target].replace(
                    _placeholder(slot.dom_id), fragment.html, 1
                )
            else:
                container[slot.dom_id] = fragment.html
    # Every fragment was escaped by its template.
    return {
        pane.replace("-", "_"): mark_safe(_joined(pane, entries))  # noqa: S308
        for pane in PANES
    }


def _joined(container: str, entries: dict[str, dict[str, str]]) -> str:
    """Return the content of a container, including the containers in it."""
    return "".join(
        html.replace(
            _placeholder(inner, "div"), _placeholder(inner, "div", _joined(inner, entries)), 1
        )
        if (inner := member_log_id(dom_id)) in entries
        else html
        for dom_id, html in entries[container].items()
    )


@lru_cache(maxsize=32)  # once for all readers; an answer in progress has a few KiB
def render_text(run_id: str, turn: int, text: str, *, is_whole: bool) -> str:
    """Render a part of an answer in progress for the socket: appended, or in place of all."""
    swap = "innerHTML" if is_whole else "beforeend"
    return format_html(
        '<span hx-swap-oob="{}:#{}-text">{}</span>', swap, turn_id(run_id, turn), text
    )


def render_fragments(event: e.Event, trace_state: TraceState) -> list[EventFragment]:
    """Render the fragments of an event, and include it in the state of the trace."""
    row = trace_row(event, trace_state)
    slots = list(_slots(event, row.traced, trace_state.open))
    fragments = [_rendered(slot, row.context) for slot in slots]
    _apply(event, row.traced, slots, trace_state)
    return fragments


@dataclass(frozen=True, slots=True)
class TraceRow:
    """Row of an event in the trace, before it is rendered."""

    event: e.Event
    traced: TracedConversation
    context: dict[str, Any]


def trace_row(event: e.Event, trace_state: TraceState) -> TraceRow:
    """Return the row of an event that the state does not include yet."""
    traced = trace_state.conversation_of(event)
    context = event_context(event, traced) | event_usage(event, traced, trace_state)
    task_id = traced.task_id if traced.kind == "supervision" else ""
    context |= call_context(event, trace_state.call, task_id)
    status = trace_state.human_status_after(event, traced)
    context |= {"human": trace_state.human, "human_status": status}
    end_phase = trace_state.end_phase_after(event, traced)
    context["next_step"] = next_step(event, traced.names)
    context |= {"end_phase": end_phase, "has_ended": bool(end_phase) or status == "ended"}
    return TraceRow(event, traced, context)


def render_row(row: TraceRow, pane: str = TRACE) -> str:
    """Render the first fragment of an event for a pane; by default its row in the trace."""
    fragments = TABLE[type(row.event)].fragments
    fragment = next(fragment for fragment in fragments if fragment.pane == pane)
    return _rendered(FragmentSlot.of(fragment, row.event, row.traced), row.context).html


def panes_set_by(event: e.Event, trace_state: TraceState) -> list[str]:
    """Return the panes whose whole content an event sets."""
    traced = trace_state.conversation_of(event)
    return [
        fragment.pane
        for fragment in TABLE[type(event)].fragments
        if fragment.mode == "sets" and fragment.condition(event, traced)
    ]


def skip_event(event: e.Event, trace_state: TraceState) -> None:
    """Include an event in the state of the trace without rendering it."""
    traced = trace_state.conversation_of(event)
    _apply(event, traced, list(_slots(event, traced, trace_state.open)), trace_state)


def _slots(
    event: e.Event, traced: TracedConversation, open_ids: set[str]
) -> Iterator[FragmentSlot]:
    """Yield the positions of an event's fragments.

    A fragment for an element that was never opened is dropped: the result of a handoff's call, or
    the remark about an incomplete answer if the run ended before any answer.
    """
    for fragment in TABLE[type(event)].fragments:
        if not fragment.condition(event, traced):
            continue
        slot = FragmentSlot.of(fragment, event, traced)
        match fragment.mode:
            case "closes" | "precedes":
                is_wanted = slot.open_id in open_ids
            case "clears":
                is_wanted = any(open_id.startswith(DECISION) for open_id in open_ids)
            case _:
                is_wanted = True
        if is_wanted:
            yield slot


def _apply(
    event: e.Event, traced: TracedConversation, slots: list[FragmentSlot], trace_state: TraceState
) -> None:
    for slot in slots:
        if slot.fragment.mode == "opens":
            trace_state.open.add(slot.dom_id)
        elif slot.fragment.mode == "closes":
            trace_state.open.discard(slot.open_id)
    trace_state.apply(event, traced)


def _rendered(slot: FragmentSlot, context: dict[str, object]) -> EventFragment:
    html = render_to_string(slot.fragment.template, context | {"dom_id": slot.dom_id})
    return EventFragment(slot, html.strip())


def _placeholder(dom_id: str, tag: str = "span", content: str = "") -> str:
    """Return an element for a later event, exactly as the templates write it."""
    return f'<{tag} id="{dom_id}">{content}</{tag}>'
