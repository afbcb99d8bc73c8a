"""From connections to providers."""

import asyncio

import httpx
import pytest

from orchestration.network import ConnectionSettings, TimeLimits
from orchestration.providers import VENDORS, connections_from_environment, provider_of
from orchestration.providers.http_client import Patience


@pytest.mark.parametrize("kind", VENDORS)
def test_every_kind_makes_a_client_that_goes_by_the_connections_name(kind):
    client = provider_of(ConnectionSettings("work", kind, key="sk-canary", headers={"X": "y"}))
    assert client.name == "work"
    assert "canary" not in repr(client)
    assert client.variables.key == "the key of the connection 'work'"


@pytest.mark.parametrize("kind", VENDORS)
def test_what_the_environment_connects_goes_by_its_vendors_name(kind):
    prefix = VENDORS[kind].prefix
    found = connections_from_environment({f"{prefix}_API_KEY": "sk-1"})[kind]
    client = provider_of(found)
    assert (client.name, client.variables.key) == (kind, f"{prefix}_API_KEY")


def test_the_time_limits_of_a_connection_are_its_clients_patience():
    limits = TimeLimits(connect=1, first_byte=2, between=3, turn=4, tries=2)
    client = provider_of(ConnectionSettings("work", "openai", limits=limits))
    assert client._patience == Patience(connect=1, first_byte=2, between=3, turn=4, tries=2)
    assert provider_of(ConnectionSettings("work", "openai"))._patience == Patience()


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "sk-\n"},
        {"headers": {"Host": "evil"}},
        {"headers": {"TE": "x"}},
        {"base_url": "https://[::1"},
    ],
)
def test_settings_that_cannot_be_right_are_refused(wrong):
    with pytest.raises((ValueError, httpx.InvalidURL)):
        provider_of(ConnectionSettings("work", "openai", **wrong))


async def test_who_asks_while_a_client_closes_gets_another():
    closing, over = asyncio.Event(), asyncio.Event()

    class Slow(httpx.MockTransport):
        async def aclose(self):
            closing.set()
            await over.wait()

    client = provider_of(
        ConnectionSettings("work", "openai"), transport=Slow(lambda asked: httpx.Response(200))
    )
    first = client._connected()
    ending = asyncio.create_task(client.aclose())
    await closing.wait()
    assert not client._connected().is_closed
    over.set()
    await ending
    assert first.is_closed
    await client.aclose()
