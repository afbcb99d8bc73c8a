"""Messages of the servers to a worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from channels.layers import get_channel_layer
from channels.testing import ApplicationCommunicator

from designer.asgi import application
from designer.core import in_database
from designer.models import Conversation
from designer.rehearsal import WORKERS_CHANNEL, live
from designer.rehearsal.actions.leases import run_queue
from designer.rehearsal.live import runs
from tests.designer.live_conversations import MAX_WAIT, make_conversation, provide
from tests.designer.live_waits import is_over, message, reloaded, types, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[ApplicationCommunicator]:
    """The consumer of a worker in this process."""
    scope = {"type": "channel", "channel": WORKERS_CHANNEL}
    consumer = ApplicationCommunicator(application, scope)
    yield consumer
    consumer.stop(exceptions=False)
    await live.shut_down()


async def test_a_server_leaves_runs_to_workers_and_a_message_wakes_one(
    conversation, settings, worker
):
    settings.RUNS = "workers"
    provider = provide("Hi.")
    provider.release(1)
    await live.say(conversation.pk, message())
    assert (await types(conversation)) == ["run.started"]
    live.wake()
    assert live.capacity()[0] == 0
    assert (await in_database(run_queue)).length == 1

    runs._LOOPS.get().is_working = True  # a worker that does not sweep
    await worker.send_input({"type": "runs.queued"})
    await until(is_over(conversation))


async def hear(channel: str, kind: str) -> Any:
    """Wait for a message of a kind."""
    async with asyncio.timeout(MAX_WAIT):
        while (received := await get_channel_layer().receive(channel))["type"] != kind:
            pass
    return received


async def test_a_taken_run_is_let_go_and_its_unfinished_answer_is_sent_to_the_server(
    conversation, worker
):
    await begin_answer(conversation)
    fence = (await reloaded(conversation)).fence
    channels = [await get_channel_layer().new_channel() for _ in range(2)]
    early, reply = (asyncio.create_task(hear(channel, "answers.taken")) for channel in channels)
    await asyncio.sleep(0)
    taken = {"type": "run.taken", "conversation": conversation.pk}
    await worker.send_input({**taken, "fence": fence - 1, "reply": channels[0]})
    await worker.send_input({**taken, "fence": fence, "reply": channels[1]})
    [text] = (await reply)["answers"].values()
    assert text == "One "
    assert live.capacity()[0] == 0
    assert not early.done(), "an earlier run is not its run"
    early.cancel()


async def begin_answer(conversation: Conversation) -> None:
    """Start a run in this process whose answer begins with `One `."""
    provider = provide("One ", "two.")
    await live.say(conversation.pk, message())
    provider.release(1)

    async def has_begun() -> bool:
        return [delta.text for delta in live.streams_of(conversation.pk)] == ["One "]

    await until(has_begun)


async def test_a_new_reader_gets_the_whole_answer_in_progress(conversation, worker):
    await begin_answer(conversation)
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(live.group_of(conversation.pk), channel)
    await worker.send_input({"type": "answers.requested", "conversation": conversation.pk})
    [row] = (await hear(channel, "answers.streamed"))["deltas"]
    delta = live.Delta(*row)
    assert (delta.offset, delta.text) == (0, "One ")
