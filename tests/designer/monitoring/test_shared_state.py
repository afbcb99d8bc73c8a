"""Metrics from the database."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from designer.models import Command, Conversation
from designer.monitoring.shared_state import SharedStateCollector, read_shared_state
from designer.rehearsal.actions.commands import put_command, refuse_command
from designer.rehearsal.actions.leases import release_lease
from orchestration.messages import InboundMessage
from tests.designer.leases import begin_run
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db


def test_the_gauges_describe_runs_and_the_queue(conversation):
    assert set(read_shared_state().values()) == {0.0}
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    for number in (1, 2, 3):
        message = InboundMessage(id=f"waiting-{number}", text="Hello")
        put_command(conversation_id=conversation.pk, command=message)
    refused = Command.objects.earliest("pk")
    refuse_command(command=refused, why="No.")
    state = read_shared_state()
    assert state["baton_active_runs"] == 1
    assert state["baton_queued_commands"] == 2
    assert (state["baton_queued_runs"], state["baton_queue_age_seconds"]) == (0, 0)
    release_lease(lease=lease)
    since = timezone.now() - timedelta(minutes=10)
    rows = Conversation.objects.filter(pk=conversation.pk)
    rows.update(waits_for_human=True, ready_since=since)
    state = read_shared_state()
    assert (state["baton_active_runs"], state["baton_waiting_for_human"]) == (0, 1)
    assert state["baton_queued_runs"] == 1
    assert 600 <= state["baton_queue_age_seconds"] < 3_600


@pytest.mark.django_db(transaction=True)
def test_without_its_tables_the_other_metrics_are_still_exposed():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE designer_command RENAME TO designer_command_elsewhere")
    try:
        (metric,) = SharedStateCollector().collect()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE designer_command_elsewhere RENAME TO designer_command")
    assert (metric.name, metric.samples[0].value) == ("baton_database_up", 0)
