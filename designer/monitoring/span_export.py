"""Export of the spans of ended runs over OTLP/HTTP.

The spans are built from the recorded events after the run, so a collector that is away delays no
run: the next export continues at the stored position. The ids depend only on the events, so a run
that is exported twice has no further effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from designer.models import Conversation, SpanExport
from orchestration.events import Event, RunStarted
from orchestration.telemetry import CONVERSATION, REQUEST, VERSION, RunTrace, traces_of

MAX_AGE = timedelta(days=7)
"""Age of a run from which it is no longer exported: collectors refuse old spans."""


Send = Callable[[Sequence[RunTrace]], None]
"""Function that sends traces to the collector, or raises `designer.monitoring.otlp.OtlpError`."""


def conversations_with_new_runs() -> list[int]:
    """Return the ids of the conversations without a run in progress that have new events."""
    rows = Conversation.objects.filter(run_id="", pipeline__isnull=False).annotate(
        exported=Coalesce(F("span_export__seq"), F("forked_at"), 0)
    )
    new = rows.filter(last_seq__gt=F("exported")).order_by("pk")
    return list(new.values_list("pk", flat=True))


def export_spans(conversation_id: int, send: Send) -> list[RunTrace]:
    """Send the runs of a conversation that have ended since the last export, and return them.

    The position of the conversation moves after the collector has accepted the spans.
    """
    traces, position = _read(conversation_id)
    if traces:
        send(traces)
    SpanExport.objects.update_or_create(conversation_id=conversation_id, defaults={"seq": position})
    return traces


def _read(conversation_id: int) -> tuple[list[RunTrace], int]:
    """Return the new traces of a conversation, and the position after them.

    The events that a fork has copied belong to the runs of its origin.
    """
    row = Conversation.objects.select_related("span_export").get(pk=conversation_id)
    done = row.span_export.seq if hasattr(row, "span_export") else row.forked_at or 0
    events = row.events(after=done)
    traces = traces_of(
        events,
        session_id=row.session_id,
        definition=row.snapshot(),
        attributes={CONVERSATION: row.session_id, VERSION: str(row.pipeline_version)},
        with_content=settings.SPANS_WITH_CONTENT,
    )
    starts = row.recorded_events.filter(type="run.started", seq__gt=done)
    requests = dict(starts.exclude(request_id=None).values_list("seq", "request_id"))
    for trace in traces:
        if request_id := requests.get(trace.first_seq):
            trace.spans[0].attributes[REQUEST] = request_id
    oldest = timezone.now() - MAX_AGE
    recent = [trace for trace in traces if trace.ended >= oldest]
    return recent, _position(events, traces, row.session_id, done)


def _position(
    events: Sequence[Event], traces: Sequence[RunTrace], session_id: str, done: int
) -> int:
    """Return the number of the last event before a run that has begun meanwhile."""
    last = traces[-1].last_seq if traces else done
    for event in events:
        is_start = isinstance(event, RunStarted) and event.session_id == session_id
        if event.seq > last and is_start:
            break
        last = max(last, event.seq)
    return last
