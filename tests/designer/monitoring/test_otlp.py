"""Sending of traces to a real OTLP receiver."""

from __future__ import annotations

from typing import Any

import pytest

from designer.monitoring import otlp
from designer.monitoring.otlp import ENDPOINTS, OtlpError, has_collector, otlp_sender
from orchestration import events as e
from tests.designer.monitoring.span_exports import export
from tests.designer.recorded_conversations import record_rehearsal


def attributes(span: Any) -> dict[str, Any]:
    """Return the attributes of a received span."""

    def value(attribute: Any) -> Any:
        return getattr(attribute.value, attribute.value.WhichOneof("value"))

    return {attribute.key: value(attribute) for attribute in span.attributes}


@pytest.mark.django_db
def test_a_collector_receives_the_spans_of_the_recorded_runs(user, receiver, monkeypatch):
    monkeypatch.setattr(otlp, "MAX_SPANS", 5)
    conversation = record_rehearsal(user)
    conversation.recorded_events.filter(seq=1).update(request_id="request-1")
    exported = export()

    assert set(receiver.paths) == {"/v1/traces"}
    assert len(receiver.requests) == -(-len(receiver.spans) // 5) > 1
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


@pytest.mark.parametrize("name", ENDPOINTS)
def test_each_of_two_variables_names_a_collector(monkeypatch, name):
    for each in ENDPOINTS:
        monkeypatch.delenv(each, raising=False)
    assert not has_collector()
    monkeypatch.setenv(name, "")
    assert not has_collector()
    monkeypatch.setenv(name, "http://127.0.0.1:4318")
    assert has_collector()


def test_without_a_collector_nothing_can_be_sent(monkeypatch):
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OtlpError, match=f"No collector is set: set {ENDPOINTS[1]}"), otlp_sender():
        pass
