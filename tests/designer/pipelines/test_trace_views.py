"""Views of traces."""

from __future__ import annotations

import pytest

from designer.models import Conversation, RecordedEvent
from designer.pipelines.traces import open_trace
from orchestration.exceptions import TraceError
from orchestration.runtime import MAX_EVENTS, read_trace
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_only_traces_from_files_can_be_deleted(client, user, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = open_trace(user=user, trace=read_trace(data))
    assert client.post(url("trace_close", recorded.pk)).status_code == 404
    assert client.post(url("trace_close", trace.pk)).status_code == 302
    assert list(Conversation.objects.all()) == [recorded]


def test_an_export_that_cannot_be_opened_again_is_announced(client, other_client, recorded):
    file = client.get(url("trace_export", recorded.pk))
    assert file["Content-Type"] == "application/x-ndjson"
    row = recorded.recorded_events.order_by("seq").last()
    more = range(row.seq + 1, MAX_EVENTS + 2)
    RecordedEvent.objects.bulk_create(
        RecordedEvent(conversation=recorded, seq=seq, type=row.type, body=row.body) for seq in more
    )
    page = client.get(url("trace_export", recorded.pk))
    assert "Baton cannot open this trace again" in page.text
    assert "The file holds more than 10,000 events." in page.text
    assert other_client.get(url("trace_export", recorded.pk)).status_code == 404
    file = client.get(url("trace_export", recorded.pk), {"anyway": "yes"})
    assert file["Content-Type"] == "application/x-ndjson"
    with pytest.raises(TraceError, match="more than 10,000 events"):
        read_trace(file.content)
