"""Checks of the health of a server."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from designer.models import Conversation, WorkerHeartbeat
from designer.monitoring import health
from designer.monitoring.health import (
    MAX_NAMES,
    CheckResult,
    check_channel_layer,
    check_database,
    check_migrations,
    check_workers,
    within_limit,
)
from designer.rehearsal import record_heartbeat
from orchestration.events import EVENT_FORMAT
from tests.designer.leases import begin_run
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db


def test_the_database_is_named():
    assert check_database() == CheckResult("database", True, "SQLite answers.")


def test_a_server_is_ready_when_a_worker_can_drive_every_run(settings, conversation):
    settings.RUNS = "workers"

    def check() -> tuple[bool, str]:
        result = check_workers()
        return result.is_ok, result.text

    empty = " In the queue: 0, the oldest for 0 s."
    sentence = "No worker was seen. Start `manage.py work` on at least one machine."
    assert check() == (False, sentence)
    record_heartbeat(name="one", runs=2, capacity=5)
    record_heartbeat(name="two", runs=0, capacity=5)
    assert check() == (True, f"2 seen, with 2 of at most 10 runs.{empty}")

    begin_run(conversation_id=conversation.pk, event=run_started())
    Conversation.objects.update(event_format=EVENT_FORMAT + 1)
    assert check() == (False, "1 run of a newer version of Baton waits: update the workers.")
    WorkerHeartbeat.objects.filter(name="two").update(event_format=EVENT_FORMAT + 1)
    assert check()[0] is True
    WorkerHeartbeat.objects.update(seen=timezone.now() - timedelta(minutes=1))
    assert check() == (False, sentence)


def test_servers_that_drive_the_runs_need_no_worker():
    text = "The servers drive the runs. In the queue: 0, the oldest for 0 s."
    assert check_workers() == CheckResult("workers", True, text)


def test_only_a_few_missing_migrations_are_named():
    assert check_migrations().is_ok
    MigrationRecorder.Migration.objects.filter(app="designer").delete()
    result = check_migrations()
    assert not result.is_ok
    assert result.text.startswith("Not applied: designer.0001_initial, ")
    assert result.text.endswith(" and more. Run `manage.py migrate`.")
    assert result.text.count("designer.") == MAX_NAMES


def test_a_database_with_the_replaced_migrations_is_ready():
    shortened = MigrationRecorder.Migration.objects.get(app="designer", name__contains="squashed")
    shortened.delete()
    assert check_migrations() == CheckResult("migrations", True, "All migrations are applied.")


async def test_a_channel_layer_delivers_a_message_to_its_reader():
    result = await check_channel_layer()
    assert result == CheckResult("channel layer", True, "LocalChannelLayer delivers.")


async def test_a_channel_layer_that_cannot_be_reached_is_reported(settings):
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:1"]},
        }
    }
    check = await within_limit("channel layer", check_channel_layer())
    assert not check.is_ok
    assert "REDIS_URL" in check.text or "No answer within" in check.text


async def test_a_check_without_an_answer_fails_in_time(monkeypatch):
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.01)
    async with asyncio.timeout(5):
        result = await within_limit("slow", asyncio.Event().wait())  # type: ignore[arg-type]
    assert result == CheckResult("slow", False, "No answer within 0 seconds.")
