"""Window of a trace: a page of events, and the state of the trace before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from designer.models import Conversation, read_events
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import (
    UNKNOWN_MODEL,
    ModelKey,
    UsageTotal,
    cost_of,
    prices_of,
)
from designer.rehearsal.trace.event_table import TURN_TYPES
from designer.rehearsal.trace.events import TraceRow, panes_set_by, skip_event, trace_row
from designer.rehearsal.trace.trace_state import HumanStatus, TraceState
from orchestration import events as e
from orchestration.definition import PipelineDefinition


def base_of(conversation: Conversation) -> str:
    """Return the base address of a conversation's data: its page, or that of a share link."""
    return "./" if conversation.is_watched else reverse("conversation", args=[conversation.pk])


def new_trace_state(conversation: Conversation, definition: PipelineDefinition) -> TraceState:
    """Return the state of a conversation's trace before its first event."""
    names = Names.of(definition, trace_url=f"{base_of(conversation)}events/")
    return TraceState.of(names, conversation.pipeline_for, prices_of(conversation.pk))


def trace_state_at(conversation: Conversation, seq: int) -> TraceState:
    """Return the state of the trace for a page that shows the events up to a number."""
    trace_state, first = _state_before_run(conversation, seq)
    for event in conversation.events(after=first - 1, at_most=seq - first + 1) if seq else ():
        skip_event(event, trace_state)
    return trace_state


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive events, and the state of the trace before them."""

    events: Sequence[e.Event]
    trace_state: TraceState
    earlier_rows: Mapping[str, TraceRow] = field(default_factory=dict)
    """Last row before them that set each pane, by pane."""

    @property
    def first(self) -> int:
        """Number of the first event; 1 if there is none."""
        return self.events[0].seq if self.events else 1


def window(conversation: Conversation, before: int | None = None) -> Window:
    """Return the last events, or the last before a number: a page of them, and some more.

    It begins at an event without open elements, so that every element is complete: no answer
    without its beginning. A very long run without such an event is cut anywhere.
    """
    last = (conversation.last_seq if before is None else before - 1) if before != 1 else 0
    wanted = max(1, last - settings.TRACE_PAGE + 1)
    trace_state, first = _state_before_run(conversation, wanted)
    events = conversation.events(after=first - 1, at_most=last - first + 1) if last else []
    state_at_cut, cut = trace_state.copy(), 0
    earlier_rows: dict[str, TraceRow] = {}
    rows_since_cut: dict[str, TraceRow] = {}
    for index, event in enumerate(events):
        if event.seq > wanted:
            break
        if not trace_state.open or (event.seq == wanted and index - cut > settings.TRACE_PAGE):
            state_at_cut, cut = trace_state.copy(), index
            earlier_rows.update(rows_since_cut)
            rows_since_cut.clear()
        if panes := panes_set_by(event, trace_state):
            rows_since_cut.update(dict.fromkeys(panes, trace_row(event, trace_state)))
        skip_event(event, trace_state)
    state_at_cut.open.clear()
    return Window(events[cut:], state_at_cut, earlier_rows)


def _state_before_run(conversation: Conversation, seq: int) -> tuple[TraceState, int]:
    """Return the state before the last run that begins at an event or before it.

    Also return the number of the run's first event; 1 if there is no such run.
    """
    trace_state = new_trace_state(conversation, conversation.snapshot())
    if not seq:
        return trace_state, 1
    shown = conversation.recorded_events.filter(seq__lte=seq)
    events = conversation.events(at_most=1)
    if not events:
        return trace_state, 1
    trace_state.set_start(events[0].at)
    own = shown.filter(type="run.started", body__session_id=conversation.session_id)
    first = own.order_by("-seq").values_list("seq", flat=True).first() or 1
    trace_state.spent = _spent_before(conversation, first)
    trace_state.human, trace_state.human_status = _human_before(conversation, first)
    return trace_state, first


def _human_before(conversation: Conversation, seq: int) -> tuple[str, HumanStatus]:
    """Return the name of the answering human before an event, and the human's part."""
    before = conversation.recorded_events.filter(
        seq__lt=seq, body__session_id=conversation.session_id
    )
    joins = before.filter(type__in=["human.joined", "human.left"]).order_by("-seq")
    waits = Q(type="run.completed", body__reason=e.StopReason.WAITING_FOR_HUMAN)
    handoffs = before.filter(Q(type="handoff.accepted") | waits).order_by("-seq")
    last = [*read_events(joins[:1]), *read_events(handoffs[:1])]
    trace_state = new_trace_state(conversation, conversation.snapshot())
    for event in sorted(last, key=lambda event: event.seq):
        trace_state.apply(event, trace_state.own)
    return trace_state.human, trace_state.human_status


def _spent_before(conversation: Conversation, seq: int) -> UsageTotal:
    """Return the usage of the turns that were complete before an event."""
    rows = conversation.recorded_events.filter(seq__lt=seq, type__in=TURN_TYPES)
    models: dict[tuple[str, str], ModelKey] = {}
    prices = prices_of(conversation.pk)
    spent = UsageTotal()
    for event in read_events(rows):
        if event.asked_model:
            models[event.session_id, event.run_id] = event.asked_model
        elif isinstance(event, e.MessageCompleted):
            model = models.get((event.session_id, event.run_id), UNKNOWN_MODEL)
            spent = spent.plus(event.usage, cost_of(model, event.usage, prices))
    return spent
