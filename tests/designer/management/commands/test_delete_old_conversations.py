"""Command that lists old conversations, or deletes them by a job."""

from __future__ import annotations

import pytest
from django.core.management import CommandError

from designer.models import Conversation, Job
from tests.designer.jobs.workers import run_tasks
from tests.designer.rehearsal.old_conversations import command, make_conversations

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversations(user, recorded) -> list[Conversation]:
    return make_conversations(user, recorded)


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


def test_without_old_conversations_no_job_starts(conversations):
    output = command(days=365, delete=True)
    assert output == "Conversations without activity for 365 days: 0.\n"
    assert not Job.objects.exists()


@pytest.mark.parametrize("days", [0, -1, 1_000_000])
def test_an_impossible_age_is_refused(db, days):
    with pytest.raises(CommandError, match=f"--days must be from 1 to 36500, not {days}."):
        command(days=days)
