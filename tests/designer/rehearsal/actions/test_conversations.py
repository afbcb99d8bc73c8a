"""Actions on conversations and their journal."""

from datetime import timedelta

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from designer.core.http import conversation_of_session
from designer.definitions.patches import Settings
from designer.models import Conversation
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import (
    NotRehearsableError,
    OutOfOrderError,
    record_event,
    start_conversation,
)
from designer.rehearsal.actions.leases import (
    Lease,
    LeaseLostError,
    release_lease,
    renew_leases,
    seize_lease,
)
from orchestration.events import TurnRetried
from tests.designer.leases import begin_run, take_lease
from tests.designer.live_conversations import sample
from tests.designer.rehearsal.run_events import received, run_started
from tests.orchestration.conversations import NOON

pytestmark = pytest.mark.django_db


def test_a_conversation_keeps_the_pipeline_as_it_was(user, pipeline):
    conversation = start_conversation(pipeline=pipeline, user=user)
    update_settings(pipeline=pipeline, user=user, settings=Settings(name="Another name"))
    pipeline.refresh_from_db()
    conversation.refresh_from_db()
    assert conversation.snapshot() == sample("support")
    assert conversation.pipeline_version < pipeline.version


def test_conversations_are_counted_for_each_pipeline(user, pipeline):
    numbers = [start_conversation(pipeline=pipeline, user=user).number for _ in range(3)]
    assert numbers == [1, 2, 3]


def test_no_message_and_no_lease_reads_the_definition(client, conversation, user):
    """The definition may have megabytes; a run reads it once, at its start."""
    with CaptureQueriesContext(connection) as queries:
        assert conversation_of_session(client.session.session_key, conversation.pk)
        lease = begin_run(conversation_id=conversation.pk, event=run_started())
        assert renew_leases(leases=[lease]) == set()
        assert take_lease(conversation_id=conversation.pk) is None
        assert seize_lease(conversation_id=conversation.pk)
    assert not [one["sql"] for one in queries if '"definition"' in one["sql"]]


@pytest.mark.parametrize("seq", [1, 3])
def test_an_event_out_of_order_is_not_recorded_and_is_no_lost_lease(conversation, seq):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    with pytest.raises(OutOfOrderError, match=f"'message.received' as {seq}"):
        record_event(lease=lease, event=received(seq))
    record_event(lease=lease, event=received(2))
    assert conversation.recorded_events.count() == 2


@pytest.mark.parametrize("seq", [2, 3])
def test_without_the_lease_nothing_is_recorded_in_any_order(conversation, seq):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    seize_lease(conversation_id=conversation.pk)
    with pytest.raises(LeaseLostError):
        record_event(lease=lease, event=received(seq))
    assert conversation.recorded_events.count() == 1


def test_a_pipeline_with_errors_cannot_be_rehearsed(user, invalid):
    with pytest.raises(NotRehearsableError) as refused:
        start_conversation(pipeline=invalid, user=user)
    assert {issue.code for issue in refused.value.issues} >= {"entry-missing"}
    assert not Conversation.objects.exists()


def expire_and_take(conversation: Conversation) -> Lease:
    """Take the lease of a run after its process was killed."""
    Conversation.objects.filter(pk=conversation.pk).update(lease_until=timezone.now())
    lease = take_lease(conversation_id=conversation.pk)
    assert lease is not None
    return lease


def retried(seq: int) -> TurnRetried:
    head = (seq, NOON, "conversation-1", "run-1", "intake")
    return TurnRetried(*head, turn=1, attempt=seq, of=9, error="E", message="No.", wait=0.0)


def test_attempts_with_progress_between_them_never_exhaust_a_run(conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    for seq in range(2, 8):
        lease = expire_and_take(conversation)
        assert not lease.is_exhausted
        record_event(lease=lease, event=received(seq))


def test_attempts_that_only_repeat_a_failed_turn_exhaust_a_run(conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    attempts = []
    for seq in range(2, 5):
        lease = expire_and_take(conversation)
        attempts.append((lease.attempt, lease.is_exhausted))
        record_event(lease=lease, event=retried(seq))
    assert attempts == [(2, False), (3, False), (4, True)]


def test_a_released_run_is_taken_at_once_and_its_worker_writes_nothing_more(conversation):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    release_lease(lease=lease)
    assert renew_leases(leases=[lease]) == {conversation.pk}
    with pytest.raises(LeaseLostError):
        record_event(lease=lease, event=received(2))
    taken = take_lease(conversation_id=conversation.pk)
    assert taken is not None
    assert taken.attempt == 1
    record_event(lease=taken, event=received(2))


def test_an_event_that_is_recorded_again_counts_once(conversation):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    event = received(2)
    other = msgspec.structs.replace(event, at=event.at + timedelta(seconds=1))
    record_event(lease=lease, event=event)
    record_event(lease=lease, event=event)
    with pytest.raises(OutOfOrderError):
        record_event(lease=lease, event=other)
    assert conversation.recorded_events.count() == 2
