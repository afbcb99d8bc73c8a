"""Entry of an event type: everything about its display in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from designer.canvas import stage_id
from designer.rehearsal.agui import event_mapping
from designer.rehearsal.agui.event_mapping import EventForm
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.event_fragments import Fragment
from designer.rehearsal.trace.timeline_drawing import TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

EventSpan = Callable[[Any, TimelineDrawing, TracedConversation], None]
"""Function that draws an event of a conversation on the timeline."""


def no_details(event: e.Event, names: Names) -> dict[str, Any]:
    """Return no additional context."""
    return {}


def no_span(event: e.Event, drawing: TimelineDrawing, traced: TracedConversation) -> None:
    """Draw nothing."""


def stage_highlight(event: e.Event, names: Names) -> dict[str, str]:
    """Return the phase of the event as the active stage."""
    return {"active": stage_id(event.phase)} if event.phase in names.phases else {}


@dataclass(frozen=True, slots=True)
class EventEntry:
    """Display of an event type."""

    category: str
    """One word, shown in the trace and used by its filter."""
    fragments: tuple[Fragment, ...]
    details: Callable[[Any, Names], dict[str, Any]]
    """Template context of the event in addition to its own fields."""
    highlight: Callable[[Any, Names], dict[str, str]]
    """Effect of the event on the canvas, by element ids: `{"active": "stage-review"}`."""
    span: EventSpan
    """Effect of the event on the timeline."""
    agui: EventForm
    """Events of the AG-UI protocol for the event."""

    @property
    def has_span(self) -> bool:
        """True if the event has an effect on the timeline."""
        return self.span is not no_span


Entries = Mapping[type[e.Event], EventEntry]


def entry(
    category: str,
    *fragments: Fragment,
    details: Callable[[Any, Names], dict[str, Any]] = no_details,
    highlight: Callable[[Any, Names], dict[str, str]] = stage_highlight,
    span: EventSpan = no_span,
    agui: EventForm = event_mapping.custom,
) -> EventEntry:
    """Return an entry; by default it highlights the event's stage and is a custom AG-UI event."""
    return EventEntry(category, fragments, details, highlight, span, agui)
