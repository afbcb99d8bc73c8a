"""Export of spans to a real OTLP receiver."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from designer.models import Conversation, SpanExport
from designer.monitoring.otlp import ENDPOINTS, otlp_sender
from designer.monitoring.span_export import (
    MAX_AGE,
    conversations_with_new_runs,
    export_spans,
)
from orchestration import events as e
from orchestration.telemetry import RunTrace
from tests.designer.leases import begin_run
from tests.designer.recorded_conversations import QUESTION, converse, record_rehearsal
from tests.designer.rehearsal.run_events import run_started
from tests.otlp_receiver import OtlpReceiver, collector

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    """Receiver to which the environment points."""
    with collector(monkeypatch) as receiver:
        yield receiver


def export() -> list[RunTrace]:
    with otlp_sender() as send:
        ids = conversations_with_new_runs()
        return [trace for pk in ids for trace in export_spans(pk, send)]


def attributes(span: Any) -> dict[str, Any]:
    """Return the attributes of a received span."""

    def value(attribute: Any) -> Any:
        return getattr(attribute.value, attribute.value.WhichOneof("value"))

    return {attribute.key: value(attribute) for attribute in span.attributes}


def test_a_collector_receives_the_spans_of_the_recorded_runs(user, receiver):
    conversation = record_rehearsal(user)
    conversation.recorded_events.filter(seq=1).update(request_id="request-1")
    exported = export()

    assert set(receiver.paths) == {"/v1/traces"}
    assert receiver.headers[0]["x-team"] == "blue"
    (resource,) = receiver.requests[0].resource_spans
    assert {one.key: one.value.string_value for one in resource.resource.attributes}[
        "service.name"
    ] == "baton"
    spans = receiver.spans
    assert [len(trace.spans) for trace in exported] == [
        sum(span.trace_id == root for span in spans)
        for root in dict.fromkeys(span.trace_id for span in spans)
    ]
    assert len(exported) == 2
    events = conversation.events()
    roots = [span for span in spans if not span.parent_span_id]
    assert [span.name for span in roots] == ["invoke_workflow Customer support"] * 2
    known = {(span.trace_id, span.span_id) for span in spans}
    assert len(known) == len(spans)
    assert {(one.trace_id, one.parent_span_id) for one in spans if one.parent_span_id} <= known

    root = attributes(roots[0])
    assert root["gen_ai.conversation.id"] == conversation.session_id
    assert root["gen_ai.agent.version"] == str(conversation.pipeline_version)
    assert root["baton.request.id"] == "request-1"
    assert "baton.request.id" not in attributes(roots[1])
    first, last = events[0].at, next(one.at for one in events if isinstance(one, e.RunCompleted))
    assert roots[0].start_time_unix_nano == int(first.timestamp() * 1e6 + 0.5) * 1_000
    assert roots[0].end_time_unix_nano == int(last.timestamp() * 1e6 + 0.5) * 1_000

    chats = [span for span in spans if span.name.startswith("chat ")]
    assert len(chats) == sum(isinstance(one, e.TurnStarted) for one in events)
    assert {span.kind for span in chats} == {3}, "CLIENT"
    assert {span.kind for span in spans if span not in chats} == {1}, "INTERNAL"


def test_content_is_exported_only_on_request(user, receiver, settings):
    record_rehearsal(user, QUESTION)
    export()
    assert "A-1043" not in str(receiver.requests)
    settings.SPANS_WITH_CONTENT = True
    SpanExport.objects.all().delete()
    export()
    assert "A-1043" in str(receiver.requests[-1])


def test_a_run_is_exported_once_and_a_repeated_export_has_the_same_ids(user, receiver):
    conversation = record_rehearsal(user, QUESTION)
    export()
    before = receiver.spans
    assert export() == []
    assert receiver.spans == before
    converse(conversation, "Yes, please.")
    assert len(export()) == 1
    assert len({span.trace_id for span in receiver.spans}) == 2
    SpanExport.objects.all().delete()
    receiver.requests.clear()
    assert len(export()) == 2
    assert receiver.spans[: len(before)] == before


def test_a_refusing_collector_loses_no_span(user, receiver):
    record_rehearsal(user, QUESTION)
    receiver.status = 400
    with pytest.raises(CommandError, match="did not accept the spans"):
        call_command("export_spans")
    assert not SpanExport.objects.exists()
    receiver.status = 200
    assert len(export()) == 1


def test_a_run_in_progress_and_copied_or_old_runs_are_not_exported(user, receiver):
    running = record_rehearsal(user, QUESTION)
    Conversation.objects.filter(pk=running.pk).update(run_id="run-2")
    fork = record_rehearsal(user, QUESTION)
    Conversation.objects.filter(pk=fork.pk).update(forked_at=fork.last_seq)
    old = record_rehearsal(user, QUESTION)
    for row in old.recorded_events.all():
        row.body["at"] = (timezone.now() - MAX_AGE - timedelta(hours=1)).isoformat()
        row.save()
    assert export() == []
    assert receiver.requests == []
    assert SpanExport.objects.get(conversation=old).seq == old.last_seq


def test_a_run_that_begins_during_the_export_is_exported_later(user, receiver):
    conversation = record_rehearsal(user, QUESTION)
    started = run_started(2)
    head: dict[str, Any] = {"seq": conversation.last_seq + 1, "session_id": conversation.session_id}
    begin_run(conversation_id=conversation.pk, event=msgspec.structs.replace(started, **head))
    Conversation.objects.filter(pk=conversation.pk).update(run_id="")
    assert len(export()) == 1
    assert SpanExport.objects.get().seq == conversation.last_seq


def test_without_a_collector_the_command_says_the_next_step(monkeypatch):
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(CommandError, match="set OTEL_EXPORTER_OTLP_ENDPOINT to its address"):
        call_command("export_spans")
