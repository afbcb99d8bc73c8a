"""Actions on conversations and their journal."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer.core.http import conversation_of_session
from designer.definitions.patches import Settings
from designer.models import Conversation
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import (
    LeaseLostError,
    NotRehearsableError,
    OutOfOrderError,
    begin_run,
    record_event,
    renew_lease,
    seize_lease,
    start_conversation,
    take_lease,
)
from tests.designer.live_conversations import sample
from tests.designer.rehearsal.run_events import received, run_started

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
        assert renew_lease(lease=lease)
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
def test_without_the_lease_nothing_is_recorded_in_whatever_order(conversation, seq):
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
