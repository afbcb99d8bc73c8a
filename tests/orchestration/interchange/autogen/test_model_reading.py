"""Settings of agents that are read from the model clients of AutoGen."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.autogen.model_reading import model_settings
from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.reading import Reading


def settings(client: object) -> tuple[dict[str, Any], set[str]]:
    """Return the fields of an agent with this client, and the paths of losses."""
    reading = Reading("autogen")
    found = model_settings(ForeignDocument(reading), client, ("client",))
    return found, {place for row in reading.rows for place in row.places}


def openai(**config: Any) -> dict[str, Any]:
    return {"provider": "autogen_ext.models.openai.OpenAIChatCompletionClient", "config": config}


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("autogen_ext.models.openai.AzureOpenAIChatCompletionClient", "azure"),
        ("autogen_ext.models.azure.AzureAIChatCompletionClient", "azure"),
        ("autogen_ext.models.anthropic.AnthropicBedrockChatCompletionClient", "anthropic"),
        ("OllamaChatCompletionClient", "ollama"),
    ],
)
def test_the_class_of_a_client_gives_the_provider(name: str, provider: str) -> None:
    client = {"provider": name, "config": {"model": "m"}}
    assert settings(client) == ({"provider": provider, "model": "m"}, set())


def test_an_unknown_client_has_the_default_provider_and_keeps_its_model() -> None:
    client = {"provider": "my.Client", "config": {"model": "m"}}
    assert settings(client) == ({"provider": "default", "model": "m"}, {"$.client.provider"})


def test_known_settings_are_read_and_a_key_is_not() -> None:
    client = openai(
        model="m", temperature=0, max_tokens=9, reasoning_effort="low", api_key="sk", model_info={}
    )
    expected = {
        "provider": "openai",
        "model": "m",
        "temperature": 0,
        "max_output_tokens": 9,
        "reasoning_effort": "low",
    }
    assert settings(client) == (expected, set())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 2.1),
        ("temperature", "warm"),
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("model", 3),
        ("model", "x" * 201),
        ("reasoning_effort", "lots"),
        ("base_url", "https://a.example"),
        ("top_p", 0.5),
    ],
)
def test_a_setting_that_an_agent_cannot_have_is_a_loss(field: str, value: object) -> None:
    assert settings(openai(**{field: value})) == (
        {"provider": "openai"},
        {f"$.client.config.{field}"},
    )


@pytest.mark.parametrize(("client", "lost"), [(None, set()), ({}, set()), (3, {"$.client"})])
def test_an_agent_without_a_client_has_no_settings(client: object, lost: set[str]) -> None:
    assert settings(client) == ({}, lost)
