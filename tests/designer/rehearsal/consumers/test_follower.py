"""Socket of a reader: every event arrives once and in order, despite failures."""

import asyncio
import re

import pytest
from channels.exceptions import StopConsumer
from channels.layers import get_channel_layer

from designer.core.consumer import TOO_SLOW
from designer.core.database import in_database
from designer.models import Conversation, RecordedEvent
from designer.rehearsal import live
from designer.rehearsal.consumers import ConversationConsumer
from designer.rehearsal.consumers.event_batches import Batches
from designer.rehearsal.consumers.send_queue import MOST
from designer.rehearsal.fragments.conversation import BATCH, Batch
from designer.rehearsal.live.providers import use_providers
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import trace_state_at
from orchestration import events as e
from orchestration.providers import providers_from_environment
from tests.designer.live_conversations import (
    MAX_WAIT,
    Reader,
    flaky_layer,
    make_conversation,
    provide,
    recorded,
    sample,
)
from tests.designer.live_waits import is_over, until
from tests.orchestration.conversations import NOON

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_reader_gets_every_event_once_and_in_order(reader, conversation):
    use_providers(providers_from_environment({"BATON_TOKENS_PER_SECOND": "0"}))
    await reader.resume()
    await reader.say("I need a refund")
    await reader.until_run_ends()
    whole = [seq for seq, _ in await recorded(conversation.pk)]
    assert reader.seen == whole
    assert reader.cursor == whole[-1]


async def test_nothing_is_sent_before_the_reader_reports_its_position(reader, conversation):
    provider = provide("Hi.")
    provider.release(1)
    await reader.say("Hello")
    assert await reader.socket.receive_nothing(timeout=0.3)
    await until(is_over(conversation))
    await reader.resume(after=4)
    await reader.until_run_ends()
    assert reader.seen == [5, 6]


async def test_a_reader_that_reconnects_gets_the_missed_events(client, user):
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

    provider.release(2)
    second = Reader(client, conversation.pk)
    await second.connect()
    await second.resume()
    await second.until_run_ends()
    assert second.seen == list(range(1, 7))
    assert provider.calls == 1
    await second.leave()


async def test_a_reader_who_joins_during_an_answer_gets_its_beginning(client, reader, conversation):
    provider = provide("One ", "two ", "three.")
    await reader.resume()
    await reader.say("Hello")
    provider.release(2)
    while reader.streamed() != "One two ":
        await reader.receive()

    late = Reader(client, conversation.pk)
    await late.connect()
    await late.resume()
    await late.until("innerHTML:#")
    assert late.streamed() == "One two "
    provider.release(1)
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


async def test_a_restarted_answer_replaces_its_shown_part(reader, conversation):
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
    provider.release(1)
    await reader.until_run_ends()
    assert reader.seen == list(range(1, 7))
    await reader.leave()


async def test_two_tabs_read_the_same(client, reader, conversation):
    other = Reader(client, conversation.pk)
    await other.connect()
    provider = provide("One ", "two.")
    provider.release(2)
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


async def test_a_message_without_a_channel_layer_is_answered_and_read(
    client, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    layer = flaky_layer(settings)
    provide("Hi.").release(1)
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    await reader.resume()
    layer.is_down = True
    await reader.say("Hello")
    async with asyncio.timeout(MAX_WAIT):
        await layer.lost.wait()
    layer.is_down = False
    await reader.until_run_ends()
    assert reader.seen == list(range(1, 7))
    await reader.leave()


@pytest.mark.parametrize("error", [OSError, RuntimeError])
async def test_a_failed_send_to_an_absent_reader_ends_the_socket_quietly(error):
    """Daphne's error is: `Attempt to send on a closed protocol`."""

    async def send(message: object) -> None:
        raise error("Attempt to send on a closed protocol")

    consumer = ConversationConsumer()
    consumer.base_send = send
    with pytest.raises(StopConsumer):
        await consumer.send_html("<p>Hello</p>")


async def test_a_socket_that_ends_leaves_nothing_behind(client, conversation):
    reader = Reader(client, conversation.pk)
    await reader.connect()
    layer = get_channel_layer()
    assert layer.groups[live.group_of(conversation.pk)]
    await reader.leave()
    assert live.group_of(conversation.pk) not in layer.groups


@pytest.fixture
def long_trace_length(conversation) -> int:
    """Record more events than a page may leave unconfirmed, and return the last number."""
    noted = e.dump(
        e.SupervisorNoted(1, NOON, conversation.session_id, "", "intake", text="x" * 6_000)
    )
    conversation.recorded_events.bulk_create(
        RecordedEvent(
            conversation=conversation, seq=seq, type="supervisor.noted", body=noted | {"seq": seq}
        )
        for seq in range(1, 301)
    )
    Conversation.objects.filter(pk=conversation.pk).update(last_seq=300)
    return 300


async def test_an_acknowledging_reader_gets_each_event_once_within_bounds(
    long_trace_length, reader
):
    await reader.resume()
    on_its_way = 0
    while not reader.seen or reader.seen[-1] != long_trace_length:
        frame = await reader.receive()
        on_its_way += len(frame)
        assert on_its_way < MOST + BATCH * 20_000
        for mark in re.findall(r'name="n" value="(\d+)"', frame):
            on_its_way = 0
            await reader.ask(op="seen", n=mark)
    assert reader.seen == list(range(1, long_trace_length + 1))


async def test_a_stalled_reader_is_disconnected_and_resumes_at_its_position(
    long_trace_length, reader, client, conversation, settings
):
    settings.SLOW_READER_SECONDS = 0.2
    await reader.resume()
    assert await reader.closed() == TOO_SLOW
    got = reader.seen
    assert got == list(range(1, len(got) + 1))
    assert sum(map(len, reader.frames)) < MOST + BATCH * 20_000

    again = Reader(client, conversation.pk)
    assert await again.connect()
    await again.resume(after=reader.cursor)
    while not again.seen or again.seen[-1] != long_trace_length:
        await again.receive()
    assert again.seen == list(range(len(got) + 1, long_trace_length + 1))
    await again.leave()


async def test_shared_batches_are_rendered_once_and_cached_within_bounds(conversation):
    rendered: list[int] = []

    def render(conversation_id: int, cursor: int, trace_state: TraceState) -> Batch | None:
        rendered.append(cursor)
        return Batch(f"{conversation_id} {cursor}", cursor + 1, trace_state) if cursor < 9 else None

    trace_state = await in_database(trace_state_at, conversation, 0)
    batches = Batches(render, max_characters=8)
    got = await asyncio.gather(*(batches.after(7, 1, trace_state, "people") for _ in range(100)))
    assert {one.html for one in got if one} == {"7 1"}
    await batches.after(7, 1, trace_state, "people")
    assert rendered == [1]

    assert await batches.after(7, 9, trace_state, "people") is None
    assert await batches.after(7, 9, trace_state, "people") is None
    for cursor in (2, 3, 1):
        await batches.after(7, cursor, trace_state, "people")
    await batches.after(7, 1, trace_state, "watchers")
    assert rendered == [1, 9, 9, 2, 3, 1, 1]
