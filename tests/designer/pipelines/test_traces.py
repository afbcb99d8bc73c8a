"""Export and import of traces."""

from __future__ import annotations

import pytest

from designer.models import Conversation
from designer.pipelines.traces import MAX_OPENED, open_trace
from orchestration.runtime import read_trace
from tests.designer.pipelines.trace_pages import open_file
from tests.designer.recorded_conversations import types
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_an_exported_trace_can_be_opened_by_any_user(client, other_client, recorded):
    response = client.get(url("trace_export", recorded.pk))
    assert 'filename="customer-support-rehearsal-1.trace.jsonl"' in response["Content-Disposition"]
    assert read_trace(response.content).session_id == recorded.session_id

    opened = open_file(other_client, response.content)
    trace = Conversation.objects.get(pipeline=None)
    assert opened.url == url("conversation", trace.pk)
    assert [one.type for one in trace.events()] == types(recorded)
    page = other_client.get(opened.url).content.decode()
    assert "from a file, read-only" in page
    assert "Order A-1043 is one desk lamp" in page
    assert 'id="composer"' not in page
    assert "ws-connect" not in page
    assert client.get(opened.url).status_code == 404


def test_a_trace_does_not_need_its_pipeline(client, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    recorded.pipeline.delete()
    assert Conversation.objects.count() == 0
    page = client.get(open_file(client, data).url).content.decode()
    assert "Order A-1043 is one desk lamp" in page


def test_the_number_of_opened_traces_is_limited(client, user, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = open_trace(user=user, trace=read_trace(data.splitlines(keepends=True)[0]))
    rows = [
        Conversation(started_by=user, number=1, definition=trace.definition, pipeline_version=0)
        for _ in range(MAX_OPENED - 1)
    ]
    Conversation.objects.bulk_create(rows)
    response = open_file(client, data)
    assert response.status_code == 422
    assert "the maximum of 100 traces from files" in response.content.decode()
