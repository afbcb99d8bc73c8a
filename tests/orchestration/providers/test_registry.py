"""Providers of connections and of environment variables."""

import asyncio

import httpx
import pytest

from orchestration.definition import Agent
from orchestration.network import ConnectionSettings, TimeLimits
from orchestration.providers import (
    VENDORS,
    connections_from_environment,
    provider_of,
    providers_from_environment,
)
from orchestration.providers.http_client import RetryPolicy
from tests.orchestration.providers import completions_server


@pytest.mark.parametrize("kind", VENDORS)
def test_each_kind_has_a_client_with_the_name_of_the_connection(kind):
    client = provider_of(ConnectionSettings("work", kind, key="sk-canary", headers={"X": "y"}))
    assert client.name == "work"
    assert "canary" not in repr(client)
    assert client.setting_names.key == "the key of the connection 'work'"


@pytest.mark.parametrize("kind", VENDORS)
def test_connections_of_the_environment_have_the_vendors_name(kind):
    prefix = VENDORS[kind].prefix
    connection = connections_from_environment({f"{prefix}_API_KEY": "sk-1"})[kind]
    client = provider_of(connection)
    assert (client.name, client.setting_names.key) == (kind, f"{prefix}_API_KEY")


def test_the_time_limits_of_a_connection_set_the_retry_policy():
    limits = TimeLimits(connect=1, first_byte=2, between=3, turn=4, tries=2)
    client = provider_of(ConnectionSettings("work", "openai", limits=limits))
    assert client._retry_policy == RetryPolicy(connect=1, first_byte=2, between=3, turn=4, tries=2)
    assert provider_of(ConnectionSettings("work", "openai"))._retry_policy == RetryPolicy()


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "sk-\n"},
        {"headers": {"Host": "evil"}},
        {"headers": {"TE": "x"}},
        {"base_url": "https://[::1"},
    ],
)
def test_invalid_settings_are_an_error(wrong):
    with pytest.raises((ValueError, httpx.InvalidURL)):
        provider_of(ConnectionSettings("work", "openai", **wrong))


async def test_a_request_during_a_close_opens_a_new_client():
    closing, over = asyncio.Event(), asyncio.Event()

    class Slow(httpx.MockTransport):
        async def aclose(self):
            closing.set()
            await over.wait()

    client = provider_of(
        ConnectionSettings("work", "openai"), transport=Slow(lambda request: httpx.Response(200))
    )
    first = client._connected()
    ending = asyncio.create_task(client.aclose())
    await closing.wait()
    assert not client._connected().is_closed
    over.set()
    await ending
    assert first.is_closed
    await client.aclose()


def test_the_environment_of_the_process_is_the_default(monkeypatch):
    for vendor in VENDORS.values():
        for setting in ("API_KEY", "BASE_URL"):
            monkeypatch.delenv(f"{vendor.prefix}_{setting}", raising=False)
    assert set(providers_from_environment()) == {"default", "scripted"}
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    assert set(providers_from_environment()) == {"default", "scripted", "anthropic"}


def test_the_scripted_provider_is_always_available():
    providers = providers_from_environment({})
    assert set(providers) == {"scripted", "default"}
    assert providers["default"] is providers["scripted"]


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OPENAI_API_KEY"])
def test_an_address_or_a_key_connects_a_server(name):
    providers = providers_from_environment({name: "http://models.test/v1", "OPENAI_MODEL": "m9"})
    assert providers["default"] is providers["openai_compatible"]
    assert providers["default"] is not providers["scripted"]
    request = completions_server.with_messages(agent=Agent(id="agent-a", name="A"))
    assert providers["default"].model_of(request) == "m9"


def test_a_speed_must_be_a_number():
    with pytest.raises(ValueError, match="BATON_TOKENS_PER_SECOND must be a number, not 'fast'"):
        providers_from_environment({"BATON_TOKENS_PER_SECOND": "fast"})
