"""The socket of a conversation: who may read, what may be asked, and that nothing is missed."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from channels.exceptions import StopConsumer
from channels.layers import get_channel_layer

from designer import consumers, live
from designer.live.database import in_database
from designer.live.providers import use_providers
from designer.models import Conversation
from designer.operations import MAX_FRAME, MAX_TEXT
from orchestration.providers import providers_from_environment
from tests.designer.rehearsing import (
    HeldProvider,
    Reader,
    flaky_layer,
    make_conversation,
    recorded,
    sample,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


@pytest_asyncio.fixture
async def reader(client, conversation) -> AsyncIterator[Reader]:
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    yield reader
    await live.shut_down()
    await reader.leave()


def provide(*words: str) -> HeldProvider:
    provider = HeldProvider(*words)
    use_providers({"default": provider})
    return provider


# Who may


async def test_nobody_without_a_session_is_let_in(anonymous_client, conversation):
    assert not await Reader(anonymous_client, conversation.pk).connect()


async def test_someone_else_s_conversation_is_as_one_that_is_not_there(other_client, conversation):
    assert not await Reader(other_client, conversation.pk).connect()
    assert not await Reader(other_client, conversation.pk + 1).connect()


@pytest.mark.parametrize("operation", ["resume", "say", "stop"])
async def test_whoever_signed_out_is_refused_with_the_next_message(reader, client, operation):
    await in_database(client.logout)
    await reader.ask(op=operation, after=0, id="message-1", text="Hello")
    assert await reader.socket.receive_output(timeout=5) == {
        "type": "websocket.close",
        "code": consumers.NOT_ALLOWED,
    }


@pytest.mark.parametrize("operation", ["resume", "say", "stop"])
async def test_whoever_no_longer_owns_the_pipeline_is_refused(
    reader, conversation, other_user, operation
):
    pipeline = conversation.pipeline
    pipeline.owner = other_user
    await in_database(pipeline.save)
    await reader.ask(op=operation, after=0, id="message-1", text="Hello")
    closed = await reader.socket.receive_output(timeout=5)
    assert closed["code"] == consumers.NOT_ALLOWED
    assert await recorded(conversation.pk) == []


async def test_the_socket_of_whoever_signed_out_is_closed_after_a_while(
    client, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await in_database(client.logout)
    closed = await reader.socket.receive_output(timeout=5)
    assert closed["code"] == consumers.NOT_ALLOWED


async def test_whoever_signed_out_is_found_out_though_the_channel_layer_was_gone_for_a_while(
    client, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    layer = flaky_layer(settings)
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    layer.is_down = True
    await in_database(client.logout)
    async with asyncio.timeout(5):
        await layer.lost.wait()
    layer.is_down = False
    closed = await reader.socket.receive_output(timeout=5)
    assert closed["code"] == consumers.NOT_ALLOWED


# What may be asked


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("not json", "The message is not JSON."),
        ("[" * 50_000, "The message is not JSON."),
        ("{}", "The message was not understood"),
        ('{"op": "drop"}', "The message was not understood"),
        ('{"op": "resume"}', "after: Field required"),
        ('{"op": "resume", "after": -1}', "after: Input should be greater than or equal to 0"),
        ('{"op": "say", "id": "x", "text": "Hello"}', "id: String should match"),
        ('{"op": "say", "id": "message-1", "text": "\\ud800"}', "half a character"),
        ('{"op": "say", "id": "message-1", "text": " \\n "}', "Write something first."),
        ('{"op": "say", "id": "message-1", "text": "a\\u0000b"}', "NUL character"),
        (
            json.dumps({"op": "say", "id": "message-1", "text": "x" * (MAX_TEXT + 1)}),
            "The message has 8,001 characters; 8,000 are allowed. It stays here",
        ),
        (json.dumps({"op": "say", "text": "x" * MAX_FRAME}), "The message is larger than 64 KiB."),
    ],
)
async def test_what_is_malformed_gets_a_sentence_and_the_socket_stays_open(
    reader, conversation, message, sentence
):
    await reader.socket.send_to(text_data=message)
    notice = await reader.receive()
    assert 'id="composer-notice"' in notice
    assert sentence in notice
    assert await recorded(conversation.pk) == []

    provide("Hi.").let(1)
    await reader.resume()
    await reader.say("Hello")
    await reader.until_run_ends()


async def test_bytes_are_refused(reader):
    await reader.socket.send_to(bytes_data=b"\x00")
    assert "Only text can be sent here." in await reader.receive()


async def test_a_flood_is_slowed_and_told_so(reader):
    for _ in range(30):
        await reader.resume()
    assert "Too many messages at once." in await reader.until("composer-notice")


async def test_a_message_while_a_run_is_on_is_refused_and_not_lost(reader, conversation):
    provider = provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.say("And another thing")
    assert "An answer is still under way. Your message stays here" in await reader.receive()
    provider.let(1)
    await reader.until_run_ends()
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 1


async def test_a_message_comes_back_with_its_own_id_channel_and_intent(reader):
    provide("Hi.").let(1)
    await reader.resume()
    sent = await reader.say("Hello", channel_type="sms", intent="billing")
    frame = await reader.until("message.received")
    assert f'data-message="{sent}"' in frame
    assert "sms · intent: billing" in frame


async def test_a_message_sent_twice_counts_once(reader, conversation):
    provide("Hi.").let(1)
    await reader.resume()
    sent = await reader.say("Hello")
    await reader.say("Hello", message_id=sent)
    await reader.until_run_ends()
    await reader.say("Hello", message_id=sent)
    await reader.ask(op="unknown")
    await reader.until("not understood")
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 1
    assert reader.seen == list(range(1, 7))


async def test_stop_ends_the_answer(reader):
    provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.ask(op="stop")
    assert "Stopped by you" in await reader.until(r"run\.completed")


# What is read


async def test_a_reader_gets_every_event_once_and_in_order(reader, conversation):
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    await reader.resume()
    await reader.say("I need a refund")
    await reader.until_run_ends()
    whole = [seq for seq, _ in await recorded(conversation.pk)]
    assert reader.seen == whole
    assert reader.cursor == whole[-1]


async def test_nothing_is_sent_before_the_reader_says_what_it_saw(reader, conversation):
    provider = provide("Hi.")
    provider.let(1)
    await reader.say("Hello")
    assert await reader.socket.receive_nothing(timeout=0.3)
    await reader.resume(after=4)
    await reader.until_run_ends()
    assert reader.seen == [5, 6]


async def test_a_reader_that_comes_back_gets_what_it_missed(client, user):
    conversation = await in_database(make_conversation, user, sample("support"))
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    first = Reader(client, conversation.pk)
    await first.connect()
    await first.resume()
    await first.say("I was charged twice for order A-1043")
    await first.until("turn.started")
    seen, cursor = first.seen, first.cursor
    await first.leave()

    second = Reader(client, conversation.pk)
    await second.connect()
    await second.resume(after=cursor)
    if "run.completed" not in "".join(first.frames):
        await second.until_run_ends()
    assert seen + second.seen == list(range(1, seen[-1] + len(second.seen) + 1))
    assert len(seen + second.seen) == len(await recorded(conversation.pk))
    await second.leave()


async def test_a_run_goes_on_when_its_reader_leaves(client, conversation):
    provider = provide("One ", "two.")
    first = Reader(client, conversation.pk)
    await first.connect()
    await first.resume()
    await first.say("Hello")
    await first.until("turn.started")
    await first.leave()

    provider.let(2)
    second = Reader(client, conversation.pk)
    await second.connect()
    await second.resume()
    await second.until_run_ends()
    assert second.seen == list(range(1, 7))
    assert provider.asked == 1
    await second.leave()


async def test_who_joins_in_the_middle_of_an_answer_reads_it_from_its_beginning(
    client, reader, conversation
):
    provider = provide("One ", "two ", "three.")
    await reader.resume()
    await reader.say("Hello")
    provider.let(2)
    while reader.streamed() != "One two ":
        await reader.receive()

    late = Reader(client, conversation.pk)
    await late.connect()
    await late.resume()
    await late.until("innerHTML:#")
    assert late.streamed() == "One two "
    provider.let(1)
    await late.until_run_ends()
    assert late.seen == list(range(1, 7))
    await late.leave()


async def test_text_that_was_lost_on_the_way_is_made_up_for(reader, conversation):
    await reader.resume()
    provide("Hi.")
    await reader.say("Hello")
    await reader.until("turn.started")
    run_id = (await in_database(conversation.events))[0].run_id
    layer = get_channel_layer()

    async def publish(offset: int, text: str) -> None:
        delta = live.Delta(4, run_id, 1, 1, offset, text)
        await layer.group_send(
            live.group_of(conversation.pk), {"type": "answers.streamed", "deltas": [list(delta)]}
        )

    for offset, text in [(0, "One "), (8, "three "), (0, "One two three "), (8, "three four")]:
        await publish(offset, text)
    while "four" not in reader.streamed():
        await reader.receive()
    assert reader.streamed() == "One two three four"


async def test_an_answer_that_is_begun_anew_replaces_what_was_shown_of_it(reader, conversation):
    await reader.resume()
    provide("Hi.")
    await reader.say("Hello")
    await reader.until("turn.started")
    run_id = (await in_database(conversation.events))[0].run_id
    for fence, text in [(1, "One two"), (2, "Three")]:
        delta = live.Delta(4, run_id, 1, fence, 0, text)
        await get_channel_layer().group_send(
            live.group_of(conversation.pk), {"type": "answers.streamed", "deltas": [list(delta)]}
        )
    while "Three" not in reader.streamed():
        await reader.receive()
    assert reader.streamed() == "Three"


async def test_a_bell_that_nobody_heard_costs_a_moment_and_no_event(client, conversation, settings):
    settings.READER_CHECK_SECONDS = 0.05
    provider = provide("Hi.")
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    layer = get_channel_layer()
    layer.groups.clear()
    provider.let(1)
    await reader.until_run_ends()
    assert reader.seen == list(range(1, 7))
    await reader.leave()


async def test_two_tabs_read_the_same(client, reader, conversation):
    other = Reader(client, conversation.pk)
    await other.connect()
    provider = provide("One ", "two.")
    provider.let(2)
    await reader.resume()
    await other.resume()
    await other.say("Hello")
    await reader.until_run_ends()
    await other.until_run_ends()
    assert reader.seen == other.seen == list(range(1, 7))
    await other.leave()


async def test_a_socket_ends_in_good_order_though_the_channel_layer_is_gone(
    client, conversation, settings
):
    layer = flaky_layer(settings)
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    layer.is_down = True
    await reader.leave()
    assert layer.lost.is_set()


async def test_what_is_said_while_the_channel_layer_is_gone_is_answered_and_read(
    client, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    layer = flaky_layer(settings)
    provide("Hi.").let(1)
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await reader.resume()
    layer.is_down = True
    await reader.say("Hello")
    async with asyncio.timeout(5):
        await layer.lost.wait()
    layer.is_down = False
    await reader.until_run_ends()
    assert reader.seen == list(range(1, 7))
    await reader.leave()


@pytest.mark.parametrize("error", [OSError, RuntimeError])
async def test_what_cannot_be_sent_for_the_reader_has_left_ends_the_socket_quietly(error):
    """As daphne says it: `Attempt to send on a closed protocol`."""

    async def send(message: object) -> None:
        raise error("Attempt to send on a closed protocol")

    consumer = consumers.ConversationConsumer()
    consumer.base_send = send
    with pytest.raises(StopConsumer):
        await consumer.tell("<p>Hello</p>")


async def test_a_socket_that_ends_leaves_nothing_behind(client, conversation):
    reader = Reader(client, conversation.pk)
    await reader.connect()
    layer = get_channel_layer()
    assert layer.groups[live.group_of(conversation.pk)]
    await reader.leave()
    assert live.group_of(conversation.pk) not in layer.groups
