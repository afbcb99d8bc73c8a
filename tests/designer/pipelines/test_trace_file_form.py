"""Form that opens a trace file."""

from __future__ import annotations

import pytest

from designer.models import Conversation
from tests.designer.pipelines.trace_pages import open_file
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_an_invalid_file_is_reported_in_the_dialog(client, recorded):
    lines = client.get(url("trace_export", recorded.pk)).content.splitlines(keepends=True)
    broken = b"".join([*lines[:4], b'{"type": "hello"}\n', *lines[5:]])
    response = open_file(client, broken)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Line 5: This is not an event" in page
    assert "<b>talk.trace.jsonl</b> was not opened." in page
    assert not Conversation.objects.filter(pipeline=None).exists()
    assert client.post(url("trace_open")).status_code == 422
    assert client.get(url("trace_open")).status_code == 302
