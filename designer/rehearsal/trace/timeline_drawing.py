"""Timeline of a conversation as it is drawn, event after event; idle time is left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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
    """Period of an activity, in milliseconds from the start of the timeline."""

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


@dataclass(slots=True)
class RunGroup:
    """Period of a run, or of successive runs in a long conversation."""

    seq: int
    """First event of its first run."""
    name: str
    label: str
    begin: int
    end: int = 0


class TimelineDrawing:
    """Lanes, handoffs and runs of a timeline, after the events so far."""

    def __init__(self) -> None:
        self.lanes: dict[str, Lane] = {}
        self.groups: list[RunGroup] = []
        self.handoffs: list[HandoffLine] = []
        self.started_at: datetime | None = None
        self.last = 0
        self._idle = timedelta()
        self._open: dict[SpanKey, Span] = {}

    def advance(self, event: e.Event) -> None:
        """Extend the timeline up to an event."""
        self.started_at = self.started_at or event.at
        self.last = max(self.last, self._offset(event))

    def begin_run(self, event: e.Event, name: str = "", label: str = "") -> None:
        """Begin a run directly after the one before; with a name it begins a group."""
        if self.started_at is not None:
            self._idle += max(timedelta(), self._time(event) - timedelta(milliseconds=self.last))
        if name:
            begin = self.last if self.groups else 0
            self.groups.append(RunGroup(event.seq, name, label, begin))

    def finish(self, most_spans: int) -> None:
        """Set the ends of the groups; reduce each lane's earliest spans to one span per group."""
        ends = [group.begin for group in self.groups[1:]] + [self.last]
        for group, end in zip(self.groups, ends, strict=True):
            group.end = end
        seqs = sorted(span.seq for lane in self.lanes.values() for span in lane.spans)
        if len(seqs) <= most_spans:
            return
        since = seqs[-most_spans]
        for lane in self.lanes.values():
            earlier = [span for span in lane.spans if span.seq < since]
            later = [span for span in lane.spans if span.seq >= since]
            lane.spans = self._summaries(earlier) + later
        self.handoffs = [handoff for handoff in self.handoffs if handoff.seq >= since]

    def _summaries(self, spans: Sequence[Span]) -> list[Span]:
        """Return one span for all spans of each group."""
        firsts = [group.seq for group in self.groups]
        parts: dict[int, list[Span]] = {}
        for span in spans:
            parts.setdefault(bisect_right(firsts, span.seq), []).append(span)
        return [
            Span(
                part[0].seq,
                "summary",
                f"{len(part)} activities",
                part[0].begin,
                max(self.last if span.end is None else span.end for span in part),
                any(span.failed for span in part),
            )
            if len(part) > 1
            else part[0]
            for part in parts.values()
        ]

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
        return self._time(event) // timedelta(milliseconds=1)

    def _time(self, event: e.Event) -> timedelta:
        return event.at - (self.started_at or event.at) - self._idle

    def _lane(self, key: str, speaker: Speaker) -> Lane:
        return self.lanes.setdefault(key, Lane(speaker))

    def _agent_lane(self, agent_id: str | None, traced: TracedConversation) -> tuple[str, Speaker]:
        """Return the key and the speaker of an agent's lane; each pipeline has its own lanes."""
        if agent_id is None:
            return "human", Speaker.named("Human")
        speaker = traced.names.speaker(agent_id)
        return (agent_id if traced.is_on_canvas else f"{traced.title}/{agent_id}"), speaker
