"""Deletion of old conversations."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.models import Conversation, ConversationSummary, Pipeline
from designer.rehearsal import start_expiry
from tests.designer.jobs.workers import run_tasks
from tests.designer.recorded_conversations import converse
from tests.designer.rehearsal.old_conversations import age, command, make_conversations

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversations(user, recorded) -> list[Conversation]:
    return make_conversations(user, recorded)


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
