"""Runs in a worker, which is not the process of the pages."""

import pytest
from django.utils import timezone

from designer.core import in_database, send_to_channel
from designer.models import Conversation
from designer.monitoring.metrics import TAKEOVERS
from designer.rehearsal import WORKERS_CHANNEL, find_workers, live
from designer.rehearsal.actions.leases import claim_runs, run_queue
from orchestration.control import GoOn, Pause
from orchestration.events import EVENT_FORMAT
from tests.designer.live_conversations import (
    HeldProvider,
    HeldTurns,
    Reader,
    make_conversation,
)
from tests.designer.live_waits import (
    has,
    is_over,
    last_event,
    message,
    reloaded,
    types,
    until,
)
from tests.designer.steering_commands import HANDOFF_TURNS, by_ada
from tests.designer.worker_thread import WorkerThread

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def runs_in_workers(settings):
    settings.RUNS = "workers"


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


@pytest.fixture
async def page(client, conversation):
    """Page of the conversation, with its events."""
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    yield reader
    await reader.leave()


def has_been_called(provider: HeldProvider):
    async def condition() -> bool:
        return provider.calls == 1

    return condition


async def test_the_text_of_a_worker_reaches_pages_that_come_early_and_late(
    client, conversation, page
):
    provider = HeldProvider("One ", "two.")
    async with WorkerThread(provider) as worker:
        await page.say("Hello")
        worker.call(provider.release, 1)
        await page.until("One ")
        late = Reader(client, conversation.pk)
        await late.connect()
        await late.resume()
        await late.until("One ")  # although the model is silent
        await late.leave()
        worker.call(provider.release, 1)
        await page.until_run_ends()
    assert page.seen == [1, 2, 3, 4, 5, 6]
    assert live.streams_of(conversation.pk) == []


async def test_a_stop_reaches_the_worker_and_keeps_the_text_so_far(conversation, page):
    provider = HeldProvider("One ", "two.")
    async with WorkerThread(provider) as worker:
        await page.say("Hello")
        worker.call(provider.release, 1)
        await page.until("One ")
        await page.ask(op="stop")
        await page.until_run_ends()
        event = await last_event(conversation)
        assert (event.reason, event.cut_off, event.by) == ("cancelled", "One ", "ada")
        worker.call(provider.release, 2)
        await page.say("Again")
        await page.until_run_ends()
    assert (await types(conversation)).count("run.completed") == 2


async def test_pauses_notes_and_their_refusals_reach_the_worker(conversation, page):
    provider = HeldTurns(*HANDOFF_TURNS)
    async with WorkerThread(provider) as worker:
        await page.say("Hello")
        await until(has(conversation, "turn.started"))
        await page.ask(op="note", id="note-to-nobody", text="Psst", to_agent="nobody")
        await page.until("There is no agent .*nobody")  # although the model is silent
        await live.command(conversation.pk, by_ada(Pause))
        worker.call(provider.release)
        await until(has(conversation, "run.paused"))
        await live.command(conversation.pk, by_ada(GoOn))
        worker.call(provider.release)
        await page.until_run_ends()
    assert (await types(conversation)).count("run.resumed") == 1


async def test_a_worker_that_stops_hands_over_after_the_next_event(conversation):
    provider = HeldProvider("Hi.")
    async with WorkerThread(provider) as first:
        await live.say(conversation.pk, message(1))
        await until(has_been_called(provider))
        first.stop()
        first.call(provider.release, 1)
        await first.ended()
    assert (await types(conversation))[-1] == "message.completed"
    assert (await reloaded(conversation)).attempts == 0, "the attempt does not count"
    other = HeldProvider("Unused.")
    async with WorkerThread(other):
        await until(is_over(conversation))
    assert other.calls == 0, "the answer was not requested again"


async def test_a_worker_shows_that_it_is_alive_and_counts_the_runs_of_dead_ones(conversation):
    before = TAKEOVERS._value.get()
    await live.say(conversation.pk, message())
    [lease] = await in_database(claim_runs, limit=1)
    await in_database(Conversation.objects.update, lease_until=timezone.now())
    provider = HeldProvider("Hi.")
    async with WorkerThread(provider, concurrency=3) as worker:
        await until(has_been_called(provider))
        await until(is_seen)
        [row] = await in_database(find_workers)
        assert (row.capacity, row.event_format) == (3, EVENT_FORMAT)
        worker.call(provider.release, 1)
        await until(is_over(conversation))
    assert await in_database(find_workers) == []
    assert TAKEOVERS._value.get() == before + 1
    assert lease.attempt == 1


async def is_seen() -> bool:
    return bool(await in_database(find_workers))


async def test_a_worker_drives_at_most_its_number_of_runs(user, conversation, settings):
    other = await in_database(make_conversation, user)
    for row in (conversation, other):
        await live.say(row.pk, message())
    provider = HeldProvider("Hi.")
    async with WorkerThread(provider, concurrency=1) as worker:
        await until(has_been_called(provider))
        assert (await in_database(run_queue)).length == 1
        worker.call(provider.release, 2)
        await until(is_over(conversation))
        await until(is_over(other))
    settings.MAX_RUNS = 7
    assert live.capacity() == (0, 7), "the default"


async def test_an_unknown_message_does_not_end_a_worker(conversation):
    provider = HeldProvider("Hi.")
    async with WorkerThread(provider) as worker:
        await send_to_channel(WORKERS_CHANNEL, {"type": "no.such.message"})
        await send_to_channel(WORKERS_CHANNEL, {"no": "type"})
        worker.call(provider.release, 1)
        await live.say(conversation.pk, message())
        await until(is_over(conversation))
