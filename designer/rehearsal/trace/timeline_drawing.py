"""Timeline of a run as it is drawn, event after event."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from designer.rehearsal.fragments.names import Speaker
from designer.rehearsal.fragments.spending import duration
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

SpanKey = tuple[str, ...]
"""Identity of a span in progress: its kind and ids of the event."""


@dataclass(slots=True)
class Span:
    """Period of an activity, in milliseconds from the start of the run."""

    seq: int
    """Event at its beginning."""
    kind: str
    label: str
    begin: int
    end: int | None = None
    """None while it is in progress."""
    failed: bool = False

    @property
    def duration(self) -> str:
        """Duration in words."""
        return "under way" if self.end is None else duration(self.end - self.begin)


@dataclass(slots=True)
class Lane:
    """Activities of one agent, the user or the human."""

    speaker: Speaker
    spans: list[Span] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class HandoffLine:
    """Handoff from one lane to another."""

    seq: int
    at: int
    source: int
    target: int
    label: str
    refused: bool


class TimelineDrawing:
    """Lanes and handoffs of a timeline, after the events so far."""

    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}
        self.handoffs: list[HandoffLine] = []
        self.started_at: datetime | None = None
        self.last = 0
        self._open: dict[SpanKey, Span] = {}

    def advance(self, event: e.Event) -> None:
        """Extend the timeline up to an event."""
        self.started_at = self.started_at or event.at
        self.last = max(self.last, self._offset(event))

    def keep_last(self, count: int) -> None:
        """Remove all spans except the last ones."""
        begins = sorted(span.begin for lane in self.lanes.values() for span in lane.spans)
        since = begins[-count]
        for lane in self.lanes.values():
            lane.spans = [span for span in lane.spans if span.begin >= since]
        self.handoffs = [handoff for handoff in self.handoffs if handoff.at >= since]

    def add_message(self, key: str, speaker: Speaker, event: e.Event, text: str) -> None:
        """Add a message of the user or the human as a span without duration."""
        at = self._offset(event)
        self._lane(key, speaker).spans.append(Span(event.seq, "message", text, at, at))

    def begin(
        self, key: SpanKey, event: e.Event, traced: TracedConversation, kind: str, label: str
    ) -> None:
        """Begin a span in the lane of the event's agent."""
        span = Span(event.seq, kind, label, self._offset(event))
        self._open[key] = span
        self._lane(*self._agent_lane(event.agent_id, traced)).spans.append(span)

    def end(self, key: SpanKey, event: e.Event, *, failed: bool = False) -> None:
        """End a span, if it is in progress."""
        span = self._open.pop(key, None)
        if span is not None:
            span.end, span.failed = self._offset(event), failed

    def end_run(self, event: e.Event, traced: TracedConversation, *, failed: bool) -> None:
        """End the spans of a run; with the main run, all spans."""
        for key in [key for key in self._open if event.run_id in key or not traced.kind]:
            self.end(key, event, failed=failed)

    def add_handoff(
        self,
        event: e.Event,
        traced: TracedConversation,
        source: str | None,
        target: str | None,
        *,
        refused: bool,
    ) -> None:
        """Add an accepted or rejected handoff."""
        ends = [self._agent_lane(agent_id, traced) for agent_id in (source, target)]
        for key, speaker in ends:
            self._lane(key, speaker)
        order = list(self.lanes)
        begin, end = (order.index(key) for key, _ in ends)
        label = f"{ends[0][1].name} {'↛' if refused else '→'} {ends[1][1].name}"
        at = self._offset(event)
        self.handoffs.append(HandoffLine(event.seq, at, begin, end, label, refused))

    def _offset(self, event: e.Event) -> int:
        started_at = self.started_at or event.at
        return (event.at - started_at) // timedelta(milliseconds=1)

    def _lane(self, key: str, speaker: Speaker) -> Lane:
        return self.lanes.setdefault(key, Lane(speaker))

    def _agent_lane(self, agent_id: str | None, traced: TracedConversation) -> tuple[str, Speaker]:
        """Return the key and the speaker of an agent's lane; each pipeline has its own lanes."""
        if agent_id is None:
            return "human", Speaker.named("Human")
        speaker = traced.names.speaker(agent_id)
        return (agent_id if traced.is_on_canvas else f"{traced.title}/{agent_id}"), speaker
