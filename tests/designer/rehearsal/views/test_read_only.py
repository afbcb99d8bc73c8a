"""Read-only pages."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import Conversation
from designer.pipelines.traces import MAX_OPENED, open_trace, trace_lines
from orchestration.runtime import read_trace
from tests.designer.recorded_conversations import record_rehearsal, types
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_what_is_taken_away_can_be_opened_by_anybody(client, other_client, recorded):
    response = client.get(url("trace_export", recorded.pk))
    assert 'filename="customer-support-rehearsal-1.trace.jsonl"' in response["Content-Disposition"]
    assert read_trace(response.content).session_id == recorded.session_id

    opened = send(other_client, response.content)
    trace = Conversation.objects.get(pipeline=None)
    assert opened.url == url("conversation", trace.pk)
    assert [one.type for one in trace.events()] == types(recorded)
    page = other_client.get(opened.url).content.decode()
    assert "from a file, to be read only" in page
    assert "Order A-1043 is one desk lamp" in page
    assert 'id="composer"' not in page
    assert "ws-connect" not in page
    assert client.get(opened.url).status_code == 404


def send(client: Client, data: bytes, name: str = "talk.trace.jsonl"):
    """Upload a file, as the dialog does."""
    return client.post(url("trace_open"), {"file": SimpleUploadedFile(name, data)})


def test_a_trace_has_no_need_of_its_pipeline(client, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    recorded.pipeline.delete()
    assert Conversation.objects.count() == 0
    page = client.get(send(client, data).url).content.decode()
    assert "Order A-1043 is one desk lamp" in page


def test_every_pane_of_a_trace_from_a_file_is_there(client, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = url("conversation", open_trace(user=recorded.started_by, trace=read_trace(data)).pk)
    for pane in ("events/", "earlier/?before=9", "track/", "timeline/", "contexts/"):
        assert client.get(f"{trace}{pane}").status_code == 200, pane
    for event in recorded.events():
        assert client.get(f"{trace}events/{event.seq}/").status_code == 200


def test_a_file_that_is_no_trace_is_refused_in_the_dialog(client, recorded):
    lines = client.get(url("trace_export", recorded.pk)).content.splitlines(keepends=True)
    broken = b"".join([*lines[:4], b'{"type": "hello"}\n', *lines[5:]])
    response = send(client, broken)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Line 5: This is not an event" in page
    assert "<b>talk.trace.jsonl</b> was not opened." in page
    assert not Conversation.objects.filter(pipeline=None).exists()
    assert client.post(url("trace_open")).status_code == 422
    assert client.get(url("trace_open")).status_code == 302


def test_markup_in_a_trace_stays_text(client, recorded):
    lines = client.get(url("trace_export", recorded.pk)).content.decode()
    hostile = lines.replace("Yes, please.", "<img src=x onerror=alert(1)>")
    page = client.get(send(client, hostile.encode()).url).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_nobody_keeps_more_traces_than_may_be_kept(client, user, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = open_trace(user=user, trace=read_trace(data.splitlines(keepends=True)[0]))
    rows = [
        Conversation(started_by=user, number=1, definition=trace.definition, pipeline_version=0)
        for _ in range(MAX_OPENED - 1)
    ]
    Conversation.objects.bulk_create(rows)
    response = send(client, data)
    assert response.status_code == 422
    assert "You have 100 traces from files" in response.content.decode()


def test_a_trace_is_put_away_and_a_rehearsal_is_not(client, user, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = open_trace(user=user, trace=read_trace(data))
    assert client.post(url("trace_close", recorded.pk)).status_code == 404
    assert client.post(url("trace_close", trace.pk)).status_code == 302
    assert list(Conversation.objects.all()) == [recorded]


def test_events_that_tell_of_an_agent_which_the_pipeline_has_not_can_be_opened(client, user):
    origin = record_rehearsal(user, "Write a function that parses dates.", name="coding")
    lines = [json.loads(line) for line in trace_lines(origin)]
    started = next(line for line in lines if line.get("type") == "subtask.started")
    started["title"] = "agent-handler"
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    trace = open_trace(user=user, trace=read_trace(data))
    for seq in range(1, trace.last_seq + 1):
        page = client.get(reverse("conversation_event", args=[trace.pk, seq]))
        assert page.status_code == 200
