"""Runs and commands of dead processes, which continue although nobody reads them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Command, Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.leases import claim_runs
from designer.rehearsal.actions.orphans import overdue_conversations
from orchestration.control import GoOn
from tests.designer.live_conversations import make_conversation, provide, provide_turns
from tests.designer.live_waits import (
    cut_off,
    has,
    is_over,
    message,
    reloaded,
    start_work,
    types,
    until,
)
from tests.designer.steering_commands import HANDOFF_TURNS, by_ada, is_paused

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_run_of_a_dead_process_continues_although_nobody_reads_it(conversation):
    provide("Hi.").release(2)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    whole = await types(conversation)
    await cut_off(conversation, len(whole) - 2)
    start_work()
    await until(is_over(conversation))
    assert await types(conversation) == whole


async def test_a_lease_that_expires_later_is_found_by_a_later_check(conversation, settings):
    settings.LEASE_SECONDS = 0.3
    provide("Hi.").release(2)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    start_work()
    await cut_off(conversation, 4)
    later = timezone.now() + timedelta(seconds=0.5)
    await in_database(Conversation.objects.filter(run_id__gt="").update, lease_until=later)
    await until(is_over(conversation))


async def test_a_run_with_events_of_a_newer_version_is_released_once_for_others(
    conversation, caplog
):
    provider = provide("Hi.")
    provider.release(1)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    await cut_off(conversation, 4)
    attempts = (await reloaded(conversation)).attempts
    newest = conversation.recorded_events.filter(seq=4)
    await in_database(newest.update, body={"type": "from.the.future"})

    def releases() -> int:
        return str(caplog.text).count("recorded by a newer version of Baton")

    async def is_released() -> bool:
        row = await reloaded(conversation)
        is_free = row.lease_until is not None and row.lease_until <= timezone.now()
        return releases() == 1 and is_free and row.attempts == attempts

    start_work()
    await until(is_released)
    assert await in_database(lambda: len(claim_runs(limit=9))) == 1, "another version may claim it"
    assert (releases(), provider.calls) == (1, 1)


async def test_a_message_that_a_dead_process_stored_is_answered(conversation, settings):
    settings.LEASE_SECONDS = 0.3
    provide("Hi.").release(1)
    await in_database(put_command, conversation_id=conversation.pk, command=message())
    start_work()
    await until(has(conversation, "run.completed"))


async def test_a_stored_command_continues_a_paused_run(conversation, settings):
    settings.LEASE_SECONDS = 0.3
    await live.set_break_point(conversation.pk, "intake", on=True)
    provide_turns(*HANDOFF_TURNS).release(2)
    await live.say(conversation.pk, message())
    await until(is_paused(conversation))
    start_work()
    await in_database(put_command, conversation_id=conversation.pk, command=by_ada(GoOn))
    await until(is_over(conversation))


async def test_only_orphans_are_found(user):
    idle, driven, dead, paused, refused, fresh = [
        await in_database(make_conversation, user) for _ in range(6)
    ]
    now = timezone.now()
    later, earlier = now + timedelta(seconds=9), now - timedelta(seconds=9)
    rows = Conversation.objects
    await in_database(
        rows.filter(pk=driven.pk).update, run_id="run-1", lease_until=later, ready_since=now
    )
    await in_database(
        rows.filter(pk=dead.pk).update, run_id="run-1", lease_until=earlier, ready_since=earlier
    )
    await in_database(rows.filter(pk=paused.pk).update, run_id="run-1", is_paused=True)
    for row in (idle, driven, paused, refused, fresh):
        await in_database(put_command, conversation_id=row.pk, command=message())
    commands = Command.objects
    await in_database(commands.exclude(conversation=fresh).update, created=now - timedelta(days=1))
    await in_database(commands.filter(conversation=refused).update, refusal="No.")
    assert await in_database(overdue_conversations, limit=9) == [idle.pk]
    leases = await in_database(claim_runs, limit=9)
    assert [lease.conversation_id for lease in leases] == [dead.pk]
    assert await in_database(overdue_conversations, limit=0) == []
