"""Check of the channel layer at the start of a process."""

from __future__ import annotations

import pytest

from designer.serving.layer_check import channel_layer_problem, warn_about_channel_layer


@pytest.fixture
def without_redis(settings) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:1"]},
        }
    }


async def test_a_channel_layer_that_delivers_is_no_problem(caplog):
    assert await channel_layer_problem() == ""
    await warn_about_channel_layer()
    assert caplog.records == []


@pytest.mark.usefixtures("without_redis")
async def test_a_missing_channel_layer_is_a_warning_with_the_next_step(caplog):
    await warn_about_channel_layer()
    [record] = caplog.records
    assert (record.levelname, record.name) == ("WARNING", "designer.serving.layer_check")
    assert record.getMessage() == (
        "Redis or Valkey cannot be used. It fails (ConnectionError). Check REDIS_URL and its "
        "server. Until it responds, websockets are refused."
    )
