"""The regular job that exports spans."""

from __future__ import annotations

import pytest

from designer.jobs import JobSweeper
from designer.models import Conversation, Job, SpanExport
from designer.monitoring.otlp import ENDPOINTS
from designer.monitoring.span_jobs import start_span_export
from tests.designer.jobs.workers import run_tasks
from tests.designer.recorded_conversations import QUESTION, converse, record_rehearsal

pytestmark = pytest.mark.django_db


def test_the_sweeps_of_a_process_export_ended_runs(user, receiver):
    conversation = record_rehearsal(user, QUESTION)
    JobSweeper().sweep()
    run_tasks()
    job = Job.objects.get()
    assert (job.state, job.done, job.asked_by) == ("done", 1, None)
    assert {span.name for span in receiver.spans} >= {"invoke_workflow Customer support"}
    assert SpanExport.objects.get().conversation == conversation


def test_one_export_runs_at_a_time_and_replaces_the_previous_one(user, receiver):
    conversation = record_rehearsal(user, QUESTION)
    first = start_span_export()
    assert start_span_export() is None
    run_tasks()
    assert start_span_export() is None, "no new runs"
    converse(conversation, "Yes, please.")
    second = start_span_export()
    assert first
    assert second
    assert list(Job.objects.all()) == [second]


def test_a_refusing_collector_fails_the_job_and_the_next_one_exports(user, receiver):
    record_rehearsal(user, QUESTION)
    receiver.status = 400
    start_span_export()
    run_tasks()
    failed = Job.objects.get()
    assert failed.state == "failed"
    assert "did not accept the spans" in failed.message
    receiver.status = 200
    start_span_export()
    run_tasks()
    assert Job.objects.get().state == "done"
    assert receiver.spans


def test_a_conversation_that_continues_or_is_deleted_meanwhile_is_left_out(user, receiver):
    continued, deleted = record_rehearsal(user, QUESTION), record_rehearsal(user, QUESTION)
    start_span_export()
    Conversation.objects.filter(pk=continued.pk).update(run_id="run-2")
    deleted.delete()
    run_tasks()
    assert Job.objects.get().state == "done"
    assert not receiver.spans


def test_without_a_collector_no_job_is_started(user, monkeypatch):
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    record_rehearsal(user, QUESTION)
    assert start_span_export() is None
    assert not Job.objects.exists()
