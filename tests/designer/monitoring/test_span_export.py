"""Export of the spans of ended runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.utils import timezone

from designer.models import Conversation, SpanExport
from designer.monitoring.span_export import MAX_AGE
from tests.designer.leases import begin_run
from tests.designer.monitoring.span_exports import export
from tests.designer.recorded_conversations import QUESTION, converse, record_rehearsal
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db


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
