"""Runs as tasks of the server: recorded, published, continued and stopped."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.db.models import F
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live.providers import BrokenProvider, connected_providers, use_providers
from designer.rehearsal.live.streams import FRAMES_PER_SECOND
from orchestration.events import MessageCompleted
from orchestration.messages import InboundMessage
from orchestration.providers import providers_from_environment
from orchestration.providers.provider import Retry
from tests.designer.leases import take_lease
from tests.designer.live_conversations import (
    MAX_WAIT,
    HeldProvider,
    flaky_layer,
    make_conversation,
    sample,
)
from tests.designer.live_waits import (
    cut_off,
    has,
    is_not_driven,
    last_event,
    message,
    reloaded,
    start_work,
    types,
    until,
)

pytestmark = pytest.mark.django_db(transaction=True)

BEGINNING = ["run.started", "message.received", "message.routed", "turn.started"]


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


def provide(*words: str | Retry) -> HeldProvider:
    provider = HeldProvider(*words)
    use_providers({"default": provider})
    return provider


def streams(conversation: Conversation, text: str):
    async def condition() -> bool:
        return [delta.text for delta in live.streams_of(conversation.pk)] == [text]

    return condition


def has_answered(conversation: Conversation, times: int):
    async def condition() -> bool:
        return (await types(conversation)).count("run.completed") == times

    return condition


def has_asked(provider: HeldProvider, times: int):
    async def condition() -> bool:
        return provider.calls == times

    return condition


async def expire(conversation: Conversation) -> None:
    """Let the lease expire, as after the death of its process."""
    rows = Conversation.objects.filter(pk=conversation.pk)
    await in_database(rows.update, lease_until=timezone.now() - timedelta(seconds=1))


async def test_a_message_is_recorded_before_its_sender_hears_of_it(conversation):
    provide("Hi.")
    await live.say(conversation.pk, message())
    assert (await types(conversation))[0] == "run.started"


async def test_a_run_is_recorded_whole_and_gives_its_lease_back(conversation):
    provide("Hello, ", "you.").release(2)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))

    assert await types(conversation) == [*BEGINNING, "message.completed", "run.completed"]
    row = await reloaded(conversation)
    assert (row.run_id, row.lease_until, row.attempts, row.last_seq) == ("", None, 0, 6)
    assert live.streams_of(conversation.pk) == []


async def test_a_late_reader_has_the_whole_answer_so_far(conversation):
    provider = provide("One ", "two ", "three.")
    await live.say(conversation.pk, message())
    provider.release(2)
    await until(streams(conversation, "One two "))
    [delta] = live.streams_of(conversation.pk)
    assert (delta.offset, delta.turn, delta.seq) == (0, 1, 4)


async def test_the_text_before_a_retry_is_removed_for_readers(conversation):
    broken = Retry(attempt=1, of=2, error="ProviderError", message="No.", wait=0.0, shown=True)
    provider = provide("One ", "two ", broken, "Three.")
    await live.say(conversation.pk, message())
    provider.release(2)
    await until(streams(conversation, "One two "))
    [before] = live.streams_of(conversation.pk)
    provider.release(1)
    await until(streams(conversation, ""))
    [after] = live.streams_of(conversation.pk)
    assert (after.turn, after.offset) == (before.turn, 0)
    assert after.fence > before.fence
    provider.release(1)
    await until(has(conversation, "run.completed"))
    events = await in_database(conversation.events)
    assert [one.text for one in events if isinstance(one, MessageCompleted)] == ["Three."]


async def test_text_is_published_at_most_25_times_a_second_with_its_offset(conversation):
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(live.group_of(conversation.pk), channel)
    words = [f"{number} " for number in range(200)]
    provider = provide(*words)
    await live.say(conversation.pk, message())
    started_at = asyncio.get_running_loop().time()
    for _ in range(100):
        provider.release(2)
        await asyncio.sleep(0.005)
    await until(has(conversation, "run.completed"))
    took = asyncio.get_running_loop().time() - started_at

    frames, text = 0, ""
    rings: list[int] = []
    async with asyncio.timeout(MAX_WAIT):
        while not rings or rings[-1] < 6:
            published = await layer.receive(channel)
            if published["type"] == "journal.grown":
                rings.append(published["seq"])
                continue
            if published["type"] == "run.queued":
                continue
            [delta] = [live.Delta(*one) for one in published["deltas"]]
            assert text[: delta.offset] == "".join(words)[: delta.offset]
            text = text[: delta.offset] + delta.text
            frames += 1
    assert frames <= took * FRAMES_PER_SECOND + 2
    assert "".join(words).startswith(text)
    assert rings == [1, 2, 3, 4, 5, 6]


async def test_one_run_at_a_time(conversation):
    provider = provide("Hi.")
    await live.say(conversation.pk, message(1))
    await live.say(conversation.pk, message(2))
    await until(has_asked(provider, 1))
    assert await types(conversation) == BEGINNING


async def test_of_many_messages_at_once_each_has_a_run_of_its_own_one_after_the_other(
    conversation,
):
    provider = provide("Hi.")
    await asyncio.gather(*(live.say(conversation.pk, message(number)) for number in range(8)))
    await until(has_asked(provider, 1))
    assert await types(conversation) == BEGINNING
    provider.release(8)
    await until(has_answered(conversation, 8))
    assert provider.calls == 8
    run = [*BEGINNING, "message.completed", "run.completed"]
    assert await types(conversation) == run * 8


async def test_a_message_sent_fifty_times_counts_once(conversation):
    provider = provide("Hi.")
    provider.release(1)
    for _ in range(25):
        await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    for _ in range(25):
        await live.say(conversation.pk, message())
    assert (await types(conversation)).count("message.received") == 1
    assert provider.calls == 1


async def test_a_run_that_was_cut_off_goes_on_without_repeating_a_finished_turn_or_tool(user):
    conversation = await in_database(make_conversation, user, sample("support"))
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    text = "I was charged twice for order A-1043"
    said = InboundMessage(id="message-1", text=text)
    await live.say(conversation.pk, said)
    await until(has(conversation, "run.completed"))
    whole = await types(conversation)
    assert "handoff.accepted" in whole
    assert "tool.returned" in whole

    # The same journal, cut off after each event in turn: what follows is always the same.
    for kept in range(1, len(whole)):
        await cut_off(conversation, kept)
        live.wake()
        await until(has(conversation, "run.completed"))
        assert await types(conversation) == whole


async def test_a_run_is_taken_up_only_when_its_lease_has_run_out(conversation, settings):
    settings.LEASE_SECONDS = 0.6
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has_asked(provider, 1))
    await live.shut_down()
    await in_database(
        Conversation.objects.filter(pk=conversation.pk).update,
        lease_until=timezone.now() + timedelta(seconds=0.5),
        attempts=1,
    )

    started_at = asyncio.get_running_loop().time()
    start_work()
    start_work()
    provider.release(1)
    await until(has(conversation, "run.completed"))
    assert asyncio.get_running_loop().time() - started_at >= 0.4
    assert provider.calls == 2
    assert await types(conversation) == [*BEGINNING, "message.completed", "run.completed"]


async def test_a_worker_that_was_frozen_writes_nothing_when_it_comes_back(conversation):
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    await expire(conversation)
    taken: Any = await in_database(take_lease, conversation_id=conversation.pk)
    assert taken.attempt == 2

    provider.release(1)
    await until(is_not_driven(conversation))
    assert await types(conversation) == BEGINNING
    assert (await reloaded(conversation)).fence == taken.fence


async def test_an_event_out_of_order_interrupts_a_run_that_is_then_seen_to(
    conversation, settings, caplog
):
    settings.LEASE_SECONDS = 0.5
    start_work()
    row = Conversation.objects.filter(pk=conversation.pk)
    provider = provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    await in_database(row.update, last_seq=F("last_seq") + 1)
    provider.release(1)
    await until(is_not_driven(conversation))
    assert "run interrupted" in caplog.text
    assert "OutOfOrderError" in caplog.text

    await in_database(row.update, last_seq=F("last_seq") - 1)
    provider.release(1)
    await until(has(conversation, "run.completed"))
    assert await types(conversation) == [*BEGINNING, "message.completed", "run.completed"]


async def test_after_three_attempts_a_run_ends_as_failed(conversation):
    provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    await live.shut_down()
    await in_database(Conversation.objects.filter(pk=conversation.pk).update, attempts=3)

    live.wake()
    await until(has(conversation, "run.failed"))
    assert (await reloaded(conversation)).run_id == ""
    event = await last_event(conversation)
    assert event.message == "The server stopped 3 times at the same point of this run."


async def test_stop_ends_the_run_and_the_conversation_can_go_on(conversation):
    provider = provide("One ", "two.")
    await live.say(conversation.pk, message(1))
    provider.release(1)
    await until(streams(conversation, "One "))
    assert await live.stop(conversation.pk)
    assert (await types(conversation))[-1] == "run.completed"
    event = await last_event(conversation)
    assert (event.reason, event.cut_off) == ("cancelled", "One ")

    assert not await live.stop(conversation.pk)
    provider.release(2)
    await live.say(conversation.pk, message(2))
    await until(has(conversation, "run.completed"))
    assert (await types(conversation)).count("run.started") == 2


async def test_of_many_stops_at_once_one_ends_the_run(conversation):
    provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    stops = await asyncio.gather(*(live.stop(conversation.pk) for _ in range(4)))
    assert sorted(stops) == [False, False, False, True]
    assert (await types(conversation))[-1] == "run.completed"


async def test_a_run_does_not_fail_with_the_channel_layer(conversation, settings):
    flaky_layer(settings).is_down = True
    provide("Hi, ", "you.").release(2)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    assert await types(conversation) == [*BEGINNING, "message.completed", "run.completed"]
    assert (await reloaded(conversation)).attempts == 0


async def test_stop_ends_a_run_whose_process_is_gone(conversation):
    provide("Hi.")
    await live.say(conversation.pk, message())
    await until(has(conversation, "turn.started"))
    await live.shut_down()
    assert await live.stop(conversation.pk)
    assert (await types(conversation))[-1] == "run.completed"


async def test_a_model_that_fails_ends_the_run_visibly(conversation):
    use_providers({"default": BrokenProvider("the key was refused")})
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    event = await last_event(conversation)
    assert "the key was refused" in event.message


async def test_wrong_model_settings_end_the_run_and_not_the_server(conversation, monkeypatch):
    monkeypatch.setenv("BATON_TOKENS_PER_SECOND", "fast")
    assert "scripted" in connected_providers()
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    event = await last_event(conversation)
    assert "BATON_TOKENS_PER_SECOND must be a number" in event.message


async def test_a_nul_that_a_model_writes_is_replaced(conversation):
    provide("a\0b").release(1)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    completed: Any = (await in_database(conversation.events))[-2]
    assert completed.text == "a\N{REPLACEMENT CHARACTER}b"
