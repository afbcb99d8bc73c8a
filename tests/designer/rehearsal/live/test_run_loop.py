"""Claim loop: work of dead processes, leases, runs without progress, and the end of a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.leases import claim_runs
from designer.rehearsal.live.providers import use_providers
from orchestration.control import GoOn
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from tests.designer.leases import take_lease
from tests.designer.live_conversations import MAX_WAIT, provide, provide_turns
from tests.designer.live_waits import (
    cut_off,
    has,
    is_over,
    last_event,
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


def holds_longer(conversation: Conversation, than: datetime):
    async def condition() -> bool:
        until = (await reloaded(conversation)).lease_until
        return until is not None and until > than

    return condition


async def test_the_lease_is_renewed_while_a_model_thinks(conversation, settings):
    settings.LEASE_SECONDS = 0.3
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    first: Any = await reloaded(conversation)
    await until(holds_longer(conversation, first.lease_until + timedelta(seconds=0.4)))
    assert await in_database(take_lease, conversation_id=conversation.pk) is None
    provider.release(1)
    await until(has(conversation, "run.completed"))


class StuckProvider:
    """A model that never answers the first requests and ignores their cancellation."""

    name = "stuck"

    def __init__(self, *, stuck_requests: int) -> None:
        self.stuck_requests, self.asked = stuck_requests, 0
        self.may_end, self.is_asked = asyncio.Event(), asyncio.Event()

    def model_of(self, request: ModelRequest) -> str:
        return "stuck-1"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.asked += 1
        self.is_asked.set()
        while self.asked <= self.stuck_requests and not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue
        yield TextPiece("Hello.")
        yield Finished(input_tokens=1, output_tokens=1)


@pytest.fixture
async def stuck(settings):
    """Return a provider with a number of stuck requests, which end after the test."""
    settings.LEASE_SECONDS, settings.STALL_SECONDS = 0.3, 2
    providers: list[StuckProvider] = []

    def make(stuck_requests: int) -> StuckProvider:
        providers.append(StuckProvider(stuck_requests=stuck_requests))
        use_providers({"default": providers[-1]})
        return providers[-1]

    yield make
    for provider in providers:
        provider.may_end.set()
        await live.shut_down()


async def test_a_run_without_progress_loses_its_worker_and_continues(conversation, stuck):
    provider = stuck(1)
    start_work()
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    assert provider.asked == 2
    assert (await types(conversation)).count("turn.started") == 1


async def test_a_run_that_never_makes_progress_fails_after_three_attempts(conversation, stuck):
    provider = stuck(9)
    start_work()
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    assert provider.asked == 3
    assert "3 times at the same point" in (await last_event(conversation)).message


async def test_a_server_that_stops_releases_a_run_whose_task_does_not_end(
    conversation, stuck, settings
):
    settings.LEASE_SECONDS = settings.STALL_SECONDS = MAX_WAIT  # only a release ends the lease
    provider = stuck(1)
    await live.say(conversation.pk, message())
    async with asyncio.timeout(MAX_WAIT):
        await provider.is_asked.wait()
    async with asyncio.timeout(MAX_WAIT):
        await live.shut_down()
    fence = (await reloaded(conversation)).fence
    live.wake()
    await until(has(conversation, "run.completed"))
    assert provider.asked == 2
    assert (await reloaded(conversation)).fence == fence + 1
    row = Conversation.objects.filter(pk=conversation.pk, attempts=0, lease_until=None)
    assert await in_database(row.exists)


async def test_a_server_that_stops_lets_go_of_its_runs_at_once(conversation):
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    await live.shut_down()
    row: Any = await reloaded(conversation)
    assert row.run_id
    assert row.lease_until <= timezone.now()
    assert row.attempts == 0

    provider.release(1)
    live.wake()
    await until(has(conversation, "run.completed"))
