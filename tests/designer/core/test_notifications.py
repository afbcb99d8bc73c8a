"""Notifications over each channel layer."""

import asyncio
from typing import Any, ClassVar

import pytest
from channels.layers import InMemoryChannelLayer, get_channel_layer

from designer.core import notifications
from designer.settings import channel_layer


@pytest.fixture(params=["alone", pytest.param("many", marks=pytest.mark.server)])
def layer(request, settings, monkeypatch):
    """Layer of a single process, and layer over a real Valkey server."""
    if request.param == "many":
        monkeypatch.setenv("REDIS_URL", request.getfixturevalue("redis_url"))
    settings.CHANNEL_LAYERS = {"default": channel_layer(settings.SECRET_KEY)}


async def test_a_notification_before_the_wait_is_received(layer):
    bell = {"type": "journal.grown", "seq": 7}
    async with notifications.listen(["conversation.1", "rights.1"]) as hear:
        assert await hear(0.01) == notifications.CHECK
        await notifications.send_to_group("conversation.1", bell)
        assert await hear(20) == bell
        assert await hear(0.01) == notifications.CHECK
        for seq in range(20):
            await notifications.send_to_group("rights.1", bell | {"seq": seq})
        assert [(await hear(20))["seq"] for _ in range(20)] == list(range(20))


async def test_a_closed_listener_is_in_no_group(layer):
    async with notifications.listen(["conversation.1"]) as hear:
        await hear(0.01)
        groups = get_channel_layer().groups
        assert groups
    assert not groups


class FaultyLayer(InMemoryChannelLayer):
    """A channel layer whose server never responds, and whose client handles cancellation badly."""

    asked: ClassVar[list[str]]
    is_asked: ClassVar[asyncio.Event]
    may_end: ClassVar[asyncio.Event]

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        self.asked.append(group)
        self.is_asked.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            if group == "refusing":
                raise ConnectionError("The connection was closed.") from None
            raise

    async def receive(self, channel: str) -> dict[str, Any]:
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue
        return {}


@pytest.fixture
async def faulty_layer(settings):
    FaultyLayer.asked = []
    FaultyLayer.is_asked, FaultyLayer.may_end = asyncio.Event(), asyncio.Event()
    path = f"{__name__}.{FaultyLayer.__name__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    yield FaultyLayer
    FaultyLayer.may_end.set()


async def test_a_cancelled_sender_ends_although_the_layer_raises_an_error_instead(faulty_layer):
    async def send_repeatedly() -> None:
        while True:
            await notifications.send_to_group("refusing", {"type": "journal.grown"})

    task = asyncio.create_task(send_repeatedly())
    await faulty_layer.is_asked.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=1)
    assert task.cancelled()


async def test_a_layer_that_does_not_respond_delays_only_the_first_of_many_messages(faulty_layer):
    for group in ("conversation.1", "conversation.2", "conversation.3"):
        await notifications.send_to_group(group, {"type": "journal.grown"})
    await notifications.send_to_channel("somebody", {"type": "reader.check"})
    assert faulty_layer.asked == ["conversation.1"]


async def test_a_listener_leaves_although_its_receive_swallows_its_cancellation(faulty_layer):
    async with asyncio.timeout(20):
        async with notifications.listen(["conversation.1"]) as receive:
            assert await receive(0.01) == notifications.CHECK
