"""Rooms: the readers of a conversation in one process."""

import asyncio

import pytest
from channels.layers import InMemoryChannelLayer, get_channel_layer

from designer.core import notifications
from designer.core.database import in_database
from designer.models import Conversation, RecordedEvent
from designer.rehearsal import live
from designer.rehearsal.actions.leases import claim_runs
from designer.rehearsal.consumers import rooms
from designer.rehearsal.consumers.event_batches import batches
from designer.rehearsal.consumers.rooms import CHECK, LOST, Arounds, Message, Ticket
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import trace_state_at
from orchestration import events as e
from tests.designer.live_conversations import MAX_WAIT, Reader
from tests.designer.rehearsal.actions.test_leases import queue_runs
from tests.orchestration.conversations import NOON

pytestmark = pytest.mark.django_db(transaction=True)


class Guest:
    """Reader that records its checks and messages."""

    audience = "people"
    cursor: int | None = 0
    person: int | None = None

    def __init__(self, conversation: Conversation, trace_state: TraceState, ticket: str) -> None:
        self.conversation, self.trace_state = conversation, trace_state
        self.ticket: Ticket = ("people", ticket)
        self.is_good = True
        self.asked = 0
        self.told: asyncio.Queue[Message] = asyncio.Queue()

    async def allowed(self) -> Conversation | None:
        self.asked += 1
        return self.conversation if self.is_good else None

    def lacks(self, seq: int, arounds: Arounds) -> bool:
        return self.cursor is not None and self.cursor < seq

    def take(self, message: Message) -> None:
        self.told.put_nowait(message)

    async def hears(self) -> Message:
        async with asyncio.timeout(MAX_WAIT):
            return await self.told.get()


class Curious(Guest):
    """Reader that takes every look of the room."""

    def lacks(self, seq: int, arounds: Arounds) -> bool:
        return True

    async def queue(self) -> str:
        """Return the queue of the next look."""
        arounds: Arounds = (await self.hears())["arounds"]
        return arounds[self.audience].queue


@pytest.fixture
async def guests(conversation):
    """Six readers with three tickets, two for each."""
    trace_state = await in_database(trace_state_at, conversation, 0)
    return [Guest(conversation, trace_state, ticket) for ticket in "aabbcc"]


async def note(conversation: Conversation, seq: int) -> None:
    """Record an event without a notification."""
    event = e.SupervisorNoted(seq, NOON, conversation.session_id, "", "intake", text="A note")
    row = RecordedEvent(conversation=conversation, seq=seq, type=event.type, body=e.dump(event))
    await in_database(row.save)
    await in_database(Conversation.objects.filter(pk=conversation.pk).update, last_seq=seq)


async def test_a_room_renders_a_new_event_once_before_it_wakes_its_readers(guests, conversation):
    for guest in guests:
        room = await rooms.enter(conversation, guest)
    assert len(get_channel_layer().groups[live.group_of(conversation.pk)]) == 1
    await note(conversation, 1)
    bell = {"type": "journal.grown", "seq": 1}
    await notifications.send_to_group(live.group_of(conversation.pk), bell)
    for guest in guests:
        assert await guest.hears() == bell
    key = ("people", conversation.pk, 0)
    assert 'id="event-1"' in batches()._cached[key].html
    for guest in guests:
        await room.leave(guest)


async def test_a_check_of_the_room_wakes_only_readers_that_lack_something(
    guests, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.02
    behind, ahead, *_ = guests
    ahead.cursor = 1
    for guest in (behind, ahead):
        room = await rooms.enter(conversation, guest)
    await note(conversation, 1)
    for _ in range(3):
        told = await behind.hears()
        assert (told["type"], told["seq"]) == ("room.looked", 1)
    assert ahead.told.empty()
    for guest in (behind, ahead):
        await room.leave(guest)


async def test_a_claim_removes_the_place_in_the_queue_that_another_look_has_shown(user, settings):
    settings.READER_CHECK_SECONDS = 3600
    [queued] = await in_database(queue_runs, user, 1)
    row = await in_database(Conversation.objects.get, pk=queued)
    guest = Curious(row, await in_database(trace_state_at, row, 0), "a")
    room = await rooms.enter(row, guest)
    await notifications.send_to_group(live.group_of(row.pk), {"type": "queue.changed"})
    assert "This run starts next" in await guest.queue()
    await in_database(claim_runs, limit=1)
    while "This run starts next" in await guest.queue():
        pass
    await room.leave(guest)


async def test_the_room_checks_each_ticket_in_turn_once_for_all_its_readers(
    guests, conversation, settings
):
    settings.READER_CHECK_SECONDS, settings.RIGHTS_CHECK_SECONDS = 0.02, 0.06
    for guest in guests:
        guest.is_good = guest.ticket != ("people", "c")
        room = await rooms.enter(conversation, guest)
    for shut_out in guests[4:]:
        assert await shut_out.hears() == CHECK
    assert [guest.asked for guest in guests] == [1, 0, 1, 0, 1, 0]
    assert all(guest.told.empty() for guest in guests)
    for guest in guests:
        await room.leave(guest)


async def test_the_end_of_a_session_checks_only_the_tickets_of_its_user(
    guests, conversation, settings
):
    settings.READER_CHECK_SECONDS = 3600
    for guest in guests:
        guest.person = 7 if guest.ticket == ("people", "c") else 8
        guest.is_good = False
        room = await rooms.enter(conversation, guest)
    await in_database(notifications.notify_signed_out, 7)
    for shut_out in guests[4:]:
        assert await shut_out.hears() == CHECK
    assert [guest.asked for guest in guests] == [0, 0, 0, 0, 1, 0]
    for guest in guests:
        await room.leave(guest)


class DeafLayer(InMemoryChannelLayer):
    """Channel layer that fails to receive while `is_deaf`."""

    is_deaf = True

    async def receive(self, channel: str) -> Message:
        if self.is_deaf:
            raise ConnectionError("Connection refused.")
        message: Message = await super().receive(channel)
        return message


async def test_a_failed_room_closes_its_sockets_and_is_replaced(guests, conversation, settings):
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": f"{__name__}.DeafLayer"}}
    failed = await rooms.enter(conversation, guests[0])
    assert await guests[0].hears() == LOST
    get_channel_layer().is_deaf = False
    other = await rooms.enter(conversation, guests[1])
    assert other is not failed
    await failed.leave(guests[0])
    assert other is await rooms.enter(conversation, guests[2])
    for guest in guests[1:3]:
        await other.leave(guest)


async def test_the_last_reader_closes_the_room(guests, conversation):
    group, layer = live.group_of(conversation.pk), get_channel_layer()
    for guest in guests[:2]:
        room = await rooms.enter(conversation, guest)
    await room.leave(guests[0])
    assert layer.groups[group]
    await room.leave(guests[1])
    assert group not in layer.groups
    assert conversation.pk not in rooms._ROOMS.get()


async def test_the_socket_of_a_reader_whose_room_failed_is_closed(client, conversation, settings):
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": f"{__name__}.DeafLayer"}}
    reader = Reader(client, conversation.pk)
    await reader.connect()
    assert await reader.closed() == 1011
    await reader.leave()
