"""Runs whose tasks ignore their cancellation, or make no progress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, ClassVar

import pytest
from channels.layers import InMemoryChannelLayer

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live.providers import use_providers
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from tests.designer.live_conversations import MAX_WAIT, provide
from tests.designer.live_waits import (
    has,
    is_over,
    last_event,
    message,
    reloaded,
    start_work,
    types,
    until,
)

pytestmark = pytest.mark.django_db(transaction=True)


class UnresponsiveLayer(InMemoryChannelLayer):
    """A channel layer that never finishes publishing texts, and swallows every cancellation."""

    may_end: ClassVar[asyncio.Event]
    is_publishing: ClassVar[asyncio.Event]

    async def group_send(self, group: str, message: Any) -> None:
        if message["type"] != "answers.streamed":
            return
        self.is_publishing.set()
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue


@pytest.fixture
async def layer(settings):
    UnresponsiveLayer.may_end, UnresponsiveLayer.is_publishing = asyncio.Event(), asyncio.Event()
    path = f"{__name__}.{UnresponsiveLayer.__name__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    yield UnresponsiveLayer
    UnresponsiveLayer.may_end.set()


async def test_a_run_ends_although_its_publisher_swallows_its_cancellation(conversation, layer):
    provider = provide("Hello, ", "you.")
    await live.say(conversation.pk, message(1))
    await live.say(conversation.pk, message(2))
    provider.release(1)
    async with asyncio.timeout(MAX_WAIT):
        await layer.is_publishing.wait()
    provider.release(3)

    await until(has_answered(conversation, 2))
    assert await is_over(conversation)()


def has_answered(conversation: Conversation, times: int):
    async def condition() -> bool:
        return (await types(conversation)).count("run.completed") == times

    return condition


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
