"""Messages and runs while the database is busy, full or read-only."""

import asyncio

import pytest
import pytest_asyncio
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from designer.rehearsal import live
from tests.designer.live_conversations import MAX_WAIT, Reader, provide
from tests.designer.live_waits import has, is_over, message, start_work, types, until
from tests.designer.sqlite_limits import FULL, IMPATIENT, READ_ONLY, live_connections, write_lock

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "x" * 40_000
"""Answer that does not fit into the free space of any page of the database."""


@pytest.fixture
def retried():
    """Event that is set when a write is tried again."""
    hooks, event = get_on_retry_hooks(), asyncio.Event()

    def set_event(details: RetryDetails) -> None:
        event.set()

    set_on_retry_hooks([set_event])
    yield event
    set_on_retry_hooks(hooks)


@pytest_asyncio.fixture
async def reader(client, conversation):
    """Open page of the conversation."""
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await reader.resume()
    await reader.receive()
    yield reader
    await reader.socket.disconnect()


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (READ_ONLY, "The database is read-only: make"),
        (IMPATIENT, "The database is busy: try again"),
    ],
)
async def test_a_message_that_cannot_be_stored_is_refused_with_a_reason(
    conversation, reader, limit, text
):
    provide("Hi.").release(1)
    async with live_connections(limit):
        with write_lock():
            sent = await reader.say("Hello")
            await reader.until(text)
        assert await types(conversation) == []
    await reader.say("Hello", sent)
    await reader.until_run_ends()
    assert (await types(conversation)).count("message.received") == 1


async def test_a_run_waits_for_a_database_that_is_read_only_for_a_moment(conversation, retried):
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    async with live_connections(READ_ONLY):
        provider.release(1)
        async with asyncio.timeout(MAX_WAIT):
            await retried.wait()
    await until(is_over(conversation))
    assert (await types(conversation))[-1] == "run.completed"
    assert provider.calls == 1


async def test_a_run_on_a_full_disk_says_so_and_continues_when_there_is_space(
    conversation, reader, settings
):
    settings.LEASE_SECONDS = 1
    start_work()
    provider = provide(LONG)
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    before = await types(conversation)
    async with live_connections(FULL):
        provider.release(1)
        await reader.until("The disk is full: the run continues as soon as it can be recorded")
        assert await types(conversation) == before
    provider.release(5)
    await until(is_over(conversation))
    after = await types(conversation)
    assert after[: len(before)] == before
    assert after[-1] == "run.completed"
