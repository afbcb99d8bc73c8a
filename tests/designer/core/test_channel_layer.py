"""The hub: the channel layer of a single process."""

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


async def test_everyone_in_a_group_hears_what_is_sent_to_it_and_nobody_else(hub):
    one, two, other = [await hub.new_channel() for _ in range(3)]
    for channel in (one, two):
        await hub.group_add("readers", channel)
    await hub.group_add("others", other)
    await hub.group_send("readers", {"type": "bell", "seq": 1})
    await hub.group_send("others", {"type": "bell", "seq": 2})
    assert await heard(hub, one) == await heard(hub, two) == {"type": "bell", "seq": 1}
    assert await heard(hub, other) == {"type": "bell", "seq": 2}


async def test_a_reader_that_waits_is_woken(hub):
    channel = await hub.new_channel()
    waiting = asyncio.create_task(heard(hub, channel))
    await asyncio.sleep(0)
    await hub.send(channel, {"type": "bell"})
    assert await waiting == {"type": "bell"}


async def test_to_a_reader_that_lags_behind_the_latest_are_kept(hub):
    channel = await hub.new_channel()
    await hub.group_add("readers", channel)
    for seq in range(10):
        await hub.group_send("readers", {"seq": seq})
    assert [await heard(hub, channel) for _ in range(3)] == [{"seq": 7}, {"seq": 8}, {"seq": 9}]


async def test_who_has_left_hears_nothing_and_leaves_nothing_behind(hub):
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


async def test_a_reader_that_joined_no_group_leaves_nothing_behind(hub):
    waiting = asyncio.create_task(hub.receive(await hub.new_channel()))
    await asyncio.sleep(0)
    assert hub._mailboxes
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert hub._mailboxes == {}


async def test_a_bell_that_is_rung_in_another_thread_wakes_the_reader(hub):
    """A view rings from a thread with an event loop of its own."""
    channel = await hub.new_channel()
    await hub.group_add("readers", channel)
    waiting = asyncio.create_task(heard(hub, channel))
    await asyncio.sleep(0)
    ring = threading.Thread(target=lambda: asyncio.run(hub.group_send("readers", {"seq": 7})))
    ring.start()
    assert await waiting == {"seq": 7}
    ring.join()


def test_readers_of_an_event_loop_that_is_gone_hold_up_nobody(hub):
    async def join() -> None:
        await hub.group_add("readers", "specific.gone")

    async def read() -> object:
        await hub.group_send("readers", {"seq": 1})
        await hub.group_add("readers", "specific.gone")
        await hub.group_send("readers", {"seq": 2})
        return await heard(hub, "specific.gone")

    asyncio.run(join())
    assert asyncio.run(read()) == {"seq": 2}
