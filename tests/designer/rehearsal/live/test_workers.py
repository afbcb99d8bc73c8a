"""Messages from the servers to the workers, and the reply of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from channels.layers import get_channel_layer

from designer.rehearsal.live import workers
from designer.rehearsal.live.workers import (
    WORKERS_CHANNEL,
    notify_reader,
    notify_updated,
    notify_workers,
    reply_answers,
    take_answers,
)
from tests.designer.live_conversations import MAX_WAIT


async def next_message() -> dict[str, Any]:
    """Wait for the next message to the workers."""
    async with asyncio.timeout(MAX_WAIT):
        message: dict[str, Any] = await get_channel_layer().receive(WORKERS_CHANNEL)
    return message


@pytest.mark.parametrize(
    ("notify", "message"),
    [
        (notify_workers, {"type": "runs.queued"}),
        (lambda: notify_updated(7), {"type": "run.updated", "conversation": 7}),
        (lambda: notify_reader(7), {"type": "answers.requested", "conversation": 7}),
    ],
)
async def test_workers_are_notified_of_work(
    notify: Callable[[], Awaitable[None]], message: dict[str, Any]
) -> None:
    worker = asyncio.create_task(next_message())
    await asyncio.sleep(0)
    await notify()
    assert await worker == message


async def test_a_stopped_worker_replies_with_its_unfinished_answers() -> None:
    answers = {"run-1": "One ", "run-1__group_0": ""}

    async def work() -> dict[str, Any]:
        message = await next_message()
        await reply_answers(message["reply"], answers)
        return message

    worker = asyncio.create_task(work())
    await asyncio.sleep(0)
    assert await take_answers(7, 3) == answers
    message = await worker
    assert (message["type"], message["conversation"], message["fence"]) == ("run.taken", 7, 3)


async def test_a_dead_worker_delays_the_end_of_a_run_only_for_a_moment(monkeypatch) -> None:
    monkeypatch.setattr(workers, "REPLY_SECONDS", 0.01)
    async with asyncio.timeout(MAX_WAIT):
        assert await take_answers(7, 3) == {}


async def test_without_a_channel_layer_there_are_no_answers(settings) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:1"]},
        }
    }
    async with asyncio.timeout(MAX_WAIT):
        assert await take_answers(7, 3) == {}
