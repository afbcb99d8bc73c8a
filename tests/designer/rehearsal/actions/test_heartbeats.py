"""Signs of life of workers, and the newest event format that they can replay."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.models import Conversation, WorkerHeartbeat
from designer.rehearsal.actions.heartbeats import (
    DEAD_SECONDS,
    DELETE_SECONDS,
    count_unreplayable,
    delete_heartbeat,
    find_workers,
    newest_replayable,
    record_heartbeat,
)
from orchestration.events import EVENT_FORMAT
from tests.designer.leases import begin_run
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db


def age(name: str, seconds: float) -> None:
    """Move the last sign of life of a worker into the past."""
    seen = timezone.now() - timedelta(seconds=seconds)
    WorkerHeartbeat.objects.filter(name=name).update(seen=seen)


def test_a_later_sign_of_life_replaces_the_earlier_one():
    record_heartbeat(name="one", runs=0, capacity=5)
    started = WorkerHeartbeat.objects.get().started
    age("one", DEAD_SECONDS + 1)
    assert find_workers() == []
    record_heartbeat(name="one", runs=3, capacity=5)
    [row] = find_workers()
    assert (row.runs, row.capacity, row.event_format) == (3, 5, EVENT_FORMAT)
    assert row.started == started


def test_only_live_workers_are_found_and_ended_ones_are_deleted():
    for name in ("one", "two", "three"):
        record_heartbeat(name=name, runs=0, capacity=1)
    age("one", DEAD_SECONDS + 1)
    age("two", DEAD_SECONDS - 5)
    assert [row.name for row in find_workers()] == ["three", "two"]
    delete_heartbeat(name="two")
    assert [row.name for row in find_workers()] == ["three"]
    assert WorkerHeartbeat.objects.count() == 2


def test_a_new_worker_deletes_those_that_died_long_ago():
    for name in ("one", "two"):
        record_heartbeat(name=name, runs=0, capacity=1)
    age("one", DELETE_SECONDS + 1)
    record_heartbeat(name="two", runs=1, capacity=1)
    assert WorkerHeartbeat.objects.count() == 2
    record_heartbeat(name="three", runs=0, capacity=1)
    assert [row.name for row in WorkerHeartbeat.objects.all()] == ["three", "two"]


def test_the_newest_format_is_that_of_the_processes_that_drive_runs(settings):
    assert newest_replayable() == EVENT_FORMAT
    settings.RUNS = "workers"
    assert newest_replayable() == 0
    for name, event_format in (("one", 3), ("two", 7), ("three", 5)):
        record_heartbeat(name=name, runs=0, capacity=1)
        WorkerHeartbeat.objects.filter(name=name).update(event_format=event_format)
    assert newest_replayable() == 7
    age("two", DEAD_SECONDS + 1)
    assert newest_replayable() == 5


def test_ready_runs_of_newer_formats_are_counted(conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    counts = [count_unreplayable(event_format=EVENT_FORMAT + each) for each in (-1, 0)]
    assert counts == [1, 0]
    Conversation.objects.update(ready_since=None)
    assert count_unreplayable(event_format=0) == 0
