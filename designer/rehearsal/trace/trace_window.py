"""State of a trace that is rendered from the middle on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from designer.models import Conversation
from designer.models.conversation import read_events
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import NOBODY, Asked, UsageTotal, cost_of, prices_of
from designer.rehearsal.trace.events import TraceRow, panes_set_by, pass_over, row_of
from designer.rehearsal.trace.trace_state import Given, TraceState
from orchestration import events as e
from orchestration.definition import PipelineDefinition


def base_of(conversation: Conversation) -> str:
    """Return the base address of a conversation's data: its page, or that of a share link."""
    return "./" if conversation.is_watched else reverse("conversation", args=[conversation.pk])


def new_telling(conversation: Conversation, definition: PipelineDefinition) -> TraceState:
    """A trace of which nothing was told yet."""
    names = Names.of(definition, trace_url=f"{base_of(conversation)}events/")
    return TraceState.of(names, conversation.pipeline_for, prices_of(conversation))


def telling_of(conversation: Conversation, upto: int) -> TraceState:
    """Return the state of the trace for a page that shows the events up to a number."""
    telling, begun = _run_before(conversation, upto)
    for event in conversation.events(after=begun - 1, at_most=upto - begun + 1) if upto else ():
        pass_over(event, telling)
    return telling


@dataclass(frozen=True, slots=True)
class Window:
    """Some events in a row, and how far the trace is told before them."""

    events: Sequence[e.Event]
    telling: TraceState
    standing: Mapping[str, TraceRow] = field(default_factory=dict)
    """Last row before them that each event type set, by pane."""

    @property
    def first(self) -> int:
        """The number of the first event; 1 where there is none."""
        return self.events[0].seq if self.events else 1


def window(conversation: Conversation, before: int | None = None) -> Window:
    """The last events, or the last before a number: a page of them, and some more.

    It begins where nothing waits for what comes later, so that each of its elements is whole: no
    answer is shown of which the beginning is missing. A run that goes on for very long without
    such a place is cut anywhere.
    """
    last = (conversation.last_seq if before is None else before - 1) if before != 1 else 0
    wanted = max(1, last - settings.TRACE_PAGE + 1)
    telling, begun = _run_before(conversation, wanted)
    events = conversation.events(after=begun - 1, at_most=last - begun + 1) if last else []
    safe, at = telling.copy(), 0
    standing: dict[str, TraceRow] = {}
    passed: dict[str, TraceRow] = {}
    for index, event in enumerate(events):
        if event.seq > wanted:
            break
        if not telling.open or (event.seq == wanted and index - at > settings.TRACE_PAGE):
            safe, at = telling.copy(), index
            standing.update(passed)
            passed.clear()
        if panes := panes_set_by(event, telling):
            passed.update(dict.fromkeys(panes, row_of(event, telling)))
        pass_over(event, telling)
    safe.open.clear()
    return Window(events[at:], safe, standing)


def _run_before(conversation: Conversation, seq: int) -> tuple[TraceState, int]:
    """Return the state before the last run that begins at an event or before it.

    With the number of the event that the run begins with; 1 where there is none.
    """
    telling = new_telling(conversation, conversation.rehearsed())
    if not seq:
        return telling, 1
    shown = conversation.recorded_events.filter(seq__lte=seq)
    first = conversation.events(at_most=1)
    if not first:
        return telling, 1
    telling.begin(first[0].at)
    own = shown.filter(type="run.started", body__session_id=conversation.session_id)
    begun = own.order_by("-seq").values_list("seq", flat=True).first() or 1
    telling.spent = _spent_before(conversation, begun)
    telling.human, telling.given = _human_before(conversation, begun)
    return telling, begun


def _human_before(conversation: Conversation, seq: int) -> tuple[str, Given]:
    """Return the answering human before an event, and the human's part."""
    before = conversation.recorded_events.filter(
        seq__lt=seq, body__session_id=conversation.session_id
    )
    left = before.filter(type__in=["human.joined", "human.left"]).order_by("-seq")
    ends = Q(type="run.completed", body__reason=e.StopReason.WAITING_FOR_HUMAN)
    given = before.filter(Q(type="handoff.accepted") | ends).order_by("-seq")
    last = [*read_events(left[:1]), *read_events(given[:1])]
    telling = new_telling(conversation, conversation.rehearsed())
    for event in sorted(last, key=lambda one: one.seq):
        telling.take(event, telling.own)
    return telling.human, telling.given


def _spent_before(conversation: Conversation, seq: int) -> UsageTotal:
    """Return the usage of the turns that were complete before an event."""
    rows = conversation.recorded_events.filter(
        seq__lt=seq, type__in=["turn.started", "turn.retried", "message.completed"]
    )
    asked: dict[tuple[str, str], Asked] = {}
    prices = prices_of(conversation)
    spent = UsageTotal()
    for event in read_events(rows):
        if event.asked_model:
            asked[event.session_id, event.run_id] = event.asked_model
        elif isinstance(event, e.MessageCompleted):
            who = asked.get((event.session_id, event.run_id), NOBODY)
            spent = spent.plus(event.usage, cost_of(who, event.usage, prices))
    return spent
