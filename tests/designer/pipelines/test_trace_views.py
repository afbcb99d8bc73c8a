"""Views of traces."""

from __future__ import annotations

import pytest

from designer.models import Conversation
from designer.pipelines.traces import open_trace
from orchestration.runtime import read_trace
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_only_traces_from_files_can_be_deleted(client, user, recorded):
    data = client.get(url("trace_export", recorded.pk)).content
    trace = open_trace(user=user, trace=read_trace(data))
    assert client.post(url("trace_close", recorded.pk)).status_code == 404
    assert client.post(url("trace_close", trace.pk)).status_code == 302
    assert list(Conversation.objects.all()) == [recorded]
