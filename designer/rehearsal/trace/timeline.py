"""Timeline of a run: lanes with the activities of each speaker, and handoffs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from designer.models import Conversation
from designer.rehearsal.fragments.spending import duration
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.timeline_drawing import HandoffLine, Lane, TimelineDrawing
from designer.rehearsal.trace.trace_window import new_trace_state

MAX_SPANS = 1_500
"""Maximum number of drawn spans: the last ones of a longer run."""

MAX_RUNS = 100
"""Maximum number of selectable runs: the last ones."""


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Selectable run."""

    seq: int
    number: int
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Timeline of one run."""

    lanes: Sequence[Lane]
    handoffs: Sequence[HandoffLine]
    length: int
    """In milliseconds."""
    runs: Sequence[RunChoice]
    seq: int
    """First event of the run."""
    cut: bool
    """True if the beginning of the run is not drawn."""

    @property
    def duration(self) -> str:
        """Duration of the run in words."""
        return duration(self.length)


def timeline_of(conversation: Conversation, run: int | None = None) -> Timeline | None:
    """Return the timeline of the run with first event `run`, else of the last run.

    None if the conversation has no run.
    """
    own = conversation.recorded_events.filter(
        type="run.started", body__session_id=conversation.session_id
    )
    starts = list(own.order_by("seq").values_list("seq", "body__message__text"))
    index = next((i for i, (seq, _) in enumerate(starts) if seq == run), len(starts) - 1)
    if index < 0:
        return None
    first = starts[index][0]
    is_last = index + 1 == len(starts)
    last = conversation.last_seq if is_last else starts[index + 1][0] - 1
    drawing = _draw(conversation, first, last)
    cut = sum(len(lane.spans) for lane in drawing.lanes.values()) > MAX_SPANS
    if cut:
        drawing.keep_last(MAX_SPANS)
    runs = [RunChoice(seq, i + 1, text or "given back") for i, (seq, text) in enumerate(starts)]
    return Timeline(
        list(drawing.lanes.values()),
        drawing.handoffs,
        max(1, drawing.last),
        runs[-MAX_RUNS:],
        first,
        cut,
    )


def _draw(conversation: Conversation, first: int, last: int) -> TimelineDrawing:
    drawing = TimelineDrawing()
    trace_state = new_trace_state(conversation, conversation.snapshot())
    for event in conversation.events(after=first - 1, at_most=last - first + 1):
        drawing.advance(event)
        traced = trace_state.conversation_of(event)
        TABLE[type(event)].span(event, drawing, traced)
        trace_state.apply(event, traced)
    return drawing
