"""Deletion of old conversations, and its command."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from designer.models import Conversation, ConversationSummary, Job, Pipeline, RecordedEvent
from designer.rehearsal import start_expiry
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.jobs.workers import run_tasks
from tests.designer.recorded_conversations import converse

pytestmark = pytest.mark.django_db


def age(conversation: Conversation, *, created: int, last_event: int | None = None) -> None:
    """Move the start of a conversation and its last event into the past, in days."""
    now = timezone.now()
    Conversation.objects.filter(pk=conversation.pk).update(created=now - timedelta(days=created))
    if last_event is not None:
        row = RecordedEvent.objects.get(conversation=conversation, seq=conversation.last_seq)
        at = now - timedelta(days=last_event)
        row.body["at"] = at.isoformat().replace("+00:00", "Z")
        row.save()


def command(**options: Any) -> str:
    output = StringIO()
    call_command("delete_old_conversations", stdout=output, **options)
    return output.getvalue()


@pytest.fixture
def conversations(user, recorded) -> list[Conversation]:
    """An old one, an old one with a new event, a new one, and an old empty one."""
    rows = [recorded, *(start_conversation(pipeline=recorded.pipeline, user=user) for _ in "123")]
    converse(rows[1], "Hello")
    age(rows[0], created=60, last_event=31)
    age(rows[1], created=60, last_event=29)
    age(rows[2], created=29)
    age(rows[3], created=31)
    return rows


def test_the_command_lists_old_conversations_and_deletes_nothing(conversations):
    lines = command(days=30).splitlines()
    old = [conversations[0], conversations[3]]
    assert [line.split("\t")[0] for line in lines[:-1]] == [str(row.pk) for row in old]
    assert lines[0].split("\t")[2:] == ["Customer support", "Rehearsal 1"]
    assert lines[-1] == "Conversations without activity for 30 days: 2."
    assert not Job.objects.exists()
    assert Conversation.objects.count() == 4


def test_the_command_deletes_old_conversations_by_a_job(conversations):
    assert "deletes 2 conversations" in command(days=30, delete=True)
    assert Conversation.objects.count() == 4
    run_tasks()
    job = Job.objects.get()
    assert (job.state, job.done) == ("done", 2)
    assert set(Conversation.objects.all()) == {conversations[1], conversations[2]}


def test_a_conversation_that_is_continued_before_its_deletion_stays(conversations):
    command(days=30, delete=True)
    conversations[0].refresh_from_db()
    converse(conversations[0], "I have another question.")
    run_tasks()
    assert set(Conversation.objects.all()) == set(conversations[:3])
    assert conversations[0].recorded_events.exists()


def test_a_conversation_with_a_running_run_stays(conversations):
    Conversation.objects.filter(pk=conversations[0].pk).update(run_id="run")
    command(days=30, delete=True)
    run_tasks()
    assert set(Conversation.objects.all()) == set(conversations[:3])


def test_without_old_conversations_no_job_starts(conversations):
    output = command(days=365, delete=True)
    assert output == "Conversations without activity for 365 days: 0.\n"
    assert not Job.objects.exists()


@pytest.mark.parametrize("days", [0, -1, 1_000_000])
def test_an_impossible_age_is_refused(db, days):
    with pytest.raises(CommandError, match=f"--days must be from 1 to 36500, not {days}."):
        command(days=days)


def keep(conversation: Conversation, days: int | None) -> None:
    """Set the retention of a conversation's pipeline."""
    pipeline = conversation.pipeline
    assert pipeline is not None
    Pipeline.objects.filter(pk=pipeline.pk).update(keep_days=days)


@pytest.fixture
def inactive(conversations: list[Conversation]) -> list[Conversation]:
    """The conversations; the last activity of all but the last one is 31 days ago."""
    at = timezone.now() - timedelta(days=31)
    rows = ConversationSummary.objects.filter(pk__in=[row.pk for row in conversations[:3]])
    rows.update(last_at=at)
    return conversations


def test_without_a_retention_nothing_expires(inactive):
    assert start_expiry() == []
    output = "Conversations that the retention of their pipelines deletes: 0.\n"
    assert command(days=None) == output


def test_the_retention_of_a_pipeline_deletes_all_but_pinned_conversations(inactive):
    keep(inactive[0], 30)
    ConversationSummary.objects.filter(pk=inactive[1].pk).update(is_pinned=True)
    listed = command(days=None).splitlines()
    expired = [inactive[0], inactive[2]]
    assert sorted(line.split("\t")[0] for line in listed[:-1]) == [str(row.pk) for row in expired]
    assert Conversation.objects.count() == 4
    for row in inactive:
        age(row, created=60)
    age(inactive[0], created=60, last_event=31)
    (job,) = start_expiry()
    assert start_expiry() == []
    assert job.total == 2
    run_tasks()
    assert set(Conversation.objects.all()) == {inactive[1], inactive[3]}


def test_a_retention_that_is_switched_off_deletes_nothing_more(inactive):
    keep(inactive[0], 30)
    assert len(start_expiry()) == 1
    keep(inactive[0], None)
    run_tasks()
    assert Conversation.objects.count() == 4


def test_a_pinned_conversation_is_never_old(conversations):
    ConversationSummary.objects.filter(pk=conversations[0].pk).update(is_pinned=True)
    assert str(conversations[0].pk) not in command(days=30).split("\t")[0]
