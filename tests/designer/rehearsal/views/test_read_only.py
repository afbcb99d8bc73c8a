"""Read-only pages."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from designer.pipelines.traces import open_trace, trace_lines
from orchestration.runtime import read_trace
from tests.designer.pipelines.trace_pages import open_file
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_every_pane_of_a_trace_from_a_file_is_there(client, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = url("conversation", open_trace(user=recorded.started_by, trace=read_trace(data)).pk)
    for pane in ("events/", "earlier/?before=9", "track/", "sums/?at=3", "timeline/", "contexts/"):
        assert client.get(f"{trace}{pane}").status_code == 200, pane
    for event in recorded.events():
        assert client.get(f"{trace}events/{event.seq}/").status_code == 200


def test_markup_in_a_trace_stays_text(client, recorded):
    lines = client.get(url("trace_export", recorded.pk)).content.decode()
    hostile = lines.replace("Yes, please.", "<img src=x onerror=alert(1)>")
    page = client.get(open_file(client, hostile.encode()).url).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


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
