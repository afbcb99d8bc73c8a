"""Notifications over each channel layer."""

import pytest
from channels.layers import get_channel_layer

from designer.core import notifications
from designer.settings import channel_layer


@pytest.fixture(params=["alone", pytest.param("many", marks=pytest.mark.server)])
def layer(request, settings, monkeypatch):
    """Layer of a single process, and layer over a real Valkey server."""
    if request.param == "many":
        monkeypatch.setenv("REDIS_URL", request.getfixturevalue("redis_url"))
    settings.CHANNEL_LAYERS = {"default": channel_layer()}


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
