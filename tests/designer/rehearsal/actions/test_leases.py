"""Leases of runs, and the queue of runs without a worker."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from django.db.models import F
from django.utils import timezone

from designer.models import Conversation, WorkerHeartbeat
from designer.rehearsal.actions.commands import QueueFullError, put_command
from designer.rehearsal.actions.conversations import record_event, take_steps
from designer.rehearsal.actions.heartbeats import record_heartbeat
from designer.rehearsal.actions.leases import (
    claim_runs,
    place_in_queue,
    release_lease,
    renew_leases,
    run_queue,
)
from designer.rehearsal.fragments.queue import render_queue
from orchestration.events import EVENT_FORMAT
from orchestration.messages import InboundMessage
from tests.designer.live_conversations import make_conversation
from tests.designer.rehearsal.run_events import received, run_started

pytestmark = pytest.mark.django_db


def queue_runs(user, count: int) -> list[int]:
    """Start runs of a user that wait for a worker, the first one for the longest time."""
    now = timezone.now()
    pks = []
    for number in range(count):
        conversation = make_conversation(user)
        own = msgspec.structs.replace(run_started(), session_id=conversation.session_id)
        take_steps(conversation_id=conversation.pk, events=[own])
        since = now - timedelta(seconds=60 - number)
        rows = Conversation.objects.filter(pk=conversation.pk)
        rows.update(ready_since=since)
        pks.append(conversation.pk)
    return pks


def claimed(**options) -> list[int]:
    return [lease.conversation_id for lease in claim_runs(**options)]


def test_the_oldest_runs_are_claimed_first_and_once(user):
    first, second, third = queue_runs(user, 3)
    assert claimed(limit=0) == []
    assert claimed(limit=1, skip=[first]) == [second]
    assert claimed(limit=9) == [first, third]
    assert claimed(limit=9) == []


def test_a_user_has_at_most_so_many_runs_with_a_worker(user, other_user, settings):
    settings.RUNS_PER_USER = 2
    mine, others = queue_runs(user, 4), queue_runs(other_user, 1)
    assert sorted(claimed(limit=9)) == [*mine[:2], *others]
    assert claimed(limit=9) == []
    ended = Conversation.objects.filter(pk=mine[0])
    ended.update(run_id="", ready_since=None, lease_until=None)
    assert claimed(limit=9) == [mine[2]]


def test_the_runs_of_a_dead_worker_count_for_their_user_until_they_end(user, settings):
    settings.RUNS_PER_USER = 2
    mine = queue_runs(user, 4)
    assert claimed(limit=9) == mine[:2]
    Conversation.objects.filter(pk=mine[1]).update(lease_until=timezone.now())
    assert claimed(limit=9) == [mine[1]]


def test_all_leases_are_renewed_by_one_statement(user, django_assert_num_queries):
    queue_runs(user, 5)
    leases = claim_runs(limit=9)
    with django_assert_num_queries(1):
        assert renew_leases(leases=leases) == set()
    lost = leases[2].conversation_id
    Conversation.objects.filter(pk=lost).update(fence=F("fence") + 1)
    assert renew_leases(leases=leases) == {lost}


def test_a_search_without_queued_runs_is_one_query(user, django_assert_num_queries):
    queue_runs(user, 1)
    assert claimed(limit=9)
    with django_assert_num_queries(1):
        assert claimed(limit=9) == []


def test_the_queue_has_a_length_an_age_and_places(user):
    assert run_queue() == (0, 0.0)
    pks = queue_runs(user, 3)
    assert [place_in_queue(pk) for pk in pks] == [0, 1, 2]
    length, seconds = run_queue()
    assert length == 3
    assert 60 <= seconds < 3_600
    [lease] = claim_runs(limit=1)
    assert [place_in_queue(pk) for pk in pks] == [None, 0, 1]
    record_event(lease=lease, event=received(2))
    release_lease(lease=lease)
    assert place_in_queue(pks[0]) == 0


def test_the_chat_shows_the_place_of_a_queued_run(user):
    rows = [Conversation.objects.get(pk=pk) for pk in queue_runs(user, 3)]
    assert ["2 runs before this one" in render_queue(row) for row in rows] == [False, False, True]
    assert "1 run before this one" in render_queue(rows[1])
    assert "This run starts next" in render_queue(rows[0])
    claim_runs(limit=1)
    assert "Queued" not in render_queue(rows[0])


def test_a_run_that_has_just_become_ready_is_not_shown_as_queued(user):
    [pk] = queue_runs(user, 1)
    Conversation.objects.filter(pk=pk).update(ready_since=timezone.now())
    assert place_in_queue(pk) == 0
    assert "Queued" not in render_queue(Conversation.objects.get(pk=pk))


def test_a_run_of_a_newer_event_format_waits_for_another_version(user, settings):
    [pk] = queue_runs(user, 1)
    rows = Conversation.objects.filter(pk=pk)
    assert rows.get().event_format == EVENT_FORMAT
    rows.update(event_format=EVENT_FORMAT + 1)
    assert claim_runs(limit=1) == []
    assert "A newer version of Baton recorded this conversation" in render_queue(rows.get())

    settings.RUNS = "workers"
    assert "No worker is running. The run continues as soon as" in render_queue(rows.get())
    record_heartbeat(name="old", runs=0, capacity=1)
    assert "administrator updates the workers" in render_queue(rows.get())
    WorkerHeartbeat.objects.update(event_format=EVENT_FORMAT + 1)
    assert "This run starts next" in render_queue(rows.get())

    rows.update(event_format=EVENT_FORMAT - 1)  # an older one can be replayed
    [lease] = claim_runs(limit=1)
    record_event(lease=lease, event=received(2))
    assert rows.get().event_format == EVENT_FORMAT, "an older version can no longer replay it"


def test_a_full_queue_refuses_messages_with_a_reason(user, settings):
    settings.MAX_QUEUED_RUNS = 2
    queue_runs(user, 2)
    conversation = make_conversation(user)
    message = InboundMessage(id="message-9", text="Hello")
    with pytest.raises(
        QueueFullError, match=r"Baton is busy: 2 runs are waiting. Send the message"
    ):
        put_command(conversation_id=conversation.pk, command=message)
    claim_runs(limit=1)
    assert put_command(conversation_id=conversation.pk, command=message)
