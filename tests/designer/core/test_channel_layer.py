"""Channel layer of a single process."""

import asyncio
import threading

import pytest

from designer.core.channel_layer import LocalChannelLayer
from tests.designer.live_conversations import MAX_WAIT


@pytest.fixture
def hub() -> LocalChannelLayer:
    return LocalChannelLayer(capacity=3)


async def heard(hub: LocalChannelLayer, channel: str) -> object:
    async with asyncio.timeout(MAX_WAIT):
        return await hub.receive(channel)


async def test_only_members_of_a_group_receive_its_messages(hub):
    one, two, other = [await hub.new_channel() for _ in range(3)]
    for channel in (one, two):
        await hub.group_add("readers", channel)
    await hub.group_add("others", other)
    await hub.group_send("readers", {"type": "bell", "seq": 1})
    await hub.group_send("others", {"type": "bell", "seq": 2})
    assert await heard(hub, one) == await heard(hub, two) == {"type": "bell", "seq": 1}
    assert await heard(hub, other) == {"type": "bell", "seq": 2}


async def test_a_waiting_reader_receives_the_message(hub):
    channel = await hub.new_channel()
    waiting = asyncio.create_task(heard(hub, channel))
    await asyncio.sleep(0)
    await hub.send(channel, {"type": "bell"})
    assert await waiting == {"type": "bell"}


async def test_a_slow_reader_gets_the_latest_messages(hub):
    channel = await hub.new_channel()
    await hub.group_add("readers", channel)
    for seq in range(10):
        await hub.group_send("readers", {"seq": seq})
    assert [await heard(hub, channel) for _ in range(3)] == [{"seq": 7}, {"seq": 8}, {"seq": 9}]


async def test_a_removed_reader_receives_nothing_and_has_no_mailbox(hub):
    channel = await hub.new_channel()
    waiting = asyncio.create_task(hub.receive(channel))
    await asyncio.sleep(0)
    for group in ("readers", "others"):
        await hub.group_add(group, channel)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    for group in ("readers", "others"):
        await hub.group_discard(group, channel)
        await hub.group_send(group, {"type": "bell"})
    await hub.send(channel, {"type": "bell"})
    assert (hub.groups, hub._mailboxes) == ({}, {})


async def test_a_reader_without_a_group_leaves_no_mailbox(hub):
    waiting = asyncio.create_task(hub.receive(await hub.new_channel()))
    await asyncio.sleep(0)
    assert hub._mailboxes
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert hub._mailboxes == {}


async def test_a_message_from_another_thread_reaches_the_reader(hub):
    """Send from a thread with its own event loop, like a view."""
    channel = await hub.new_channel()
    await hub.group_add("readers", channel)
    waiting = asyncio.create_task(heard(hub, channel))
    await asyncio.sleep(0)
    ring = threading.Thread(target=lambda: asyncio.run(hub.group_send("readers", {"seq": 7})))
    ring.start()
    assert await waiting == {"seq": 7}
    ring.join()


def test_readers_of_a_closed_event_loop_do_not_block_others(hub):
    async def join() -> None:
        await hub.group_add("readers", "specific.gone")

    async def read() -> object:
        await hub.group_send("readers", {"seq": 1})
        await hub.group_add("readers", "specific.gone")
        await hub.group_send("readers", {"seq": 2})
        return await heard(hub, "specific.gone")

    asyncio.run(join())
    assert asyncio.run(read()) == {"seq": 2}
