"""Timeline of a conversation: its runs, and lanes with the activities of each speaker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from designer.models import Conversation, read_events
from designer.rehearsal.fragments.spending import duration
from designer.rehearsal.trace.event_table import TABLE, type_names
from designer.rehearsal.trace.timeline_drawing import (
    HandoffLine,
    Lane,
    RunGroup,
    TimelineDrawing,
)
from designer.rehearsal.trace.trace_window import new_trace_state
from orchestration import events as e

MAX_SPANS = 1_500
"""Maximum number of spans in full: the last ones; earlier ones are reduced to one per group."""

MAX_GROUPS = 60
"""Maximum number of groups; in a longer conversation a group has several runs."""

_TYPES = type_names(
    e.RunStarted,
    e.SubtaskStarted,
    e.SubtaskCompleted,
    *(kind for kind, entry in TABLE.items() if entry.has_span),
)
"""Names of the event types with an effect on the timeline."""


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """Selectable run, or several successive ones."""

    seq: int
    """First event of its first run."""
    name: str
    label: str
    last: int
    """Last event."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Timeline of a conversation, or of some of its runs."""

    lanes: Sequence[Lane]
    handoffs: Sequence[HandoffLine]
    length: int
    """In milliseconds."""
    groups: Sequence[RunGroup]
    """The drawn runs."""
    choices: Sequence[GroupChoice]
    """All runs of the conversation."""
    seq: int | None
    """Selected run; None for the whole conversation."""
    is_reduced: bool
    """True if the earliest activities are reduced."""

    @property
    def duration(self) -> str:
        """Duration of the runs in words, without the time between them."""
        return duration(self.length)


def timeline_of(conversation: Conversation, run: int | None = None) -> Timeline | None:
    """Return the timeline of the whole conversation, or of the group of runs with event `run`.

    None if the conversation has no run.
    """
    own = conversation.recorded_events.filter(
        type="run.started", body__session_id=conversation.session_id
    )
    starts = list(own.order_by("seq").values_list("seq", "body__message__text"))
    if not starts:
        return None
    choices = _groups(starts, conversation.last_seq)
    chosen = next((one for one in choices if run and one.seq <= run <= one.last), None)
    first, last = (chosen.seq, chosen.last) if chosen else (1, conversation.last_seq)
    number = next(index for index, (seq, _) in enumerate(starts, 1) if seq >= first)
    drawn = [start for start in starts if first <= start[0] <= last]
    drawing = _draw(conversation, first, last, _groups(drawn, last, number))
    spans = sum(len(lane.spans) for lane in drawing.lanes.values())
    drawing.finish(MAX_SPANS)
    return Timeline(
        list(drawing.lanes.values()),
        drawing.handoffs,
        max(1, drawing.last),
        drawing.groups,
        choices,
        chosen.seq if chosen else None,
        spans > MAX_SPANS,
    )


def _groups(
    starts: Sequence[tuple[int, str | None]], last: int, number: int = 1
) -> list[GroupChoice]:
    """Return the runs with these first events, several in a group if there are too many."""
    size = -(-len(starts) // MAX_GROUPS)
    groups = [starts[index : index + size] for index in range(0, len(starts), size)]
    ends = [group[0][0] - 1 for group in groups[1:]] + [last]
    choices: list[GroupChoice] = []
    for group, end in zip(groups, ends, strict=True):
        name = str(number) if len(group) == 1 else f"{number}-{number + len(group) - 1}"
        seq, text = group[0]
        choices.append(GroupChoice(seq, name, text or "given back", end))
        number += len(group)
    return choices


def _draw(
    conversation: Conversation, first: int, last: int, groups: Sequence[GroupChoice]
) -> TimelineDrawing:
    drawing = TimelineDrawing()
    trace_state = new_trace_state(conversation, conversation.snapshot())
    named = {group.seq: group for group in groups}
    rows = conversation.recorded_events.filter(type__in=_TYPES, seq__gte=first, seq__lte=last)
    for event in read_events(rows):
        traced = trace_state.conversation_of(event)
        if isinstance(event, e.RunStarted) and traced.kind is None:
            group = named.get(event.seq)
            drawing.begin_run(event, *((group.name, group.label) if group else ()))
        drawing.advance(event)
        TABLE[type(event)].span(event, drawing, traced)
        trace_state.apply(event, traced)
    return drawing
