"""Models and providers of a file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.definition import Agent
from orchestration.interchange.docker_agent.models import Models
from tests.orchestration.interchange.docker_agent.exported import written
from tests.orchestration.sound_pipeline import sound


def agent(**fields: Any) -> Agent:
    return Agent(id="a", name="A", **fields)


def test_keys_are_environment_variables_and_equal_models_are_written_once() -> None:
    agents = [
        {"id": "triage", "name": "A", "provider": "inhouse", "model": "m", "temperature": 0.5},
        {"id": "handler", "name": "B", "provider": "inhouse", "model": "m", "temperature": 0.5},
        {"id": "reviewer", "name": "C", "provider": "openai", "fallback": "inhouse", "retries": 0},
        {"id": "watcher", "name": "D"},
    ]
    value = written(sound(agents=agents))
    assert value["providers"]["inhouse"]["token_key"] == "INHOUSE_API_KEY"
    assert value["models"]["inhouse"] == {"provider": "inhouse", "model": "m", "temperature": 0.5}
    assert value["agents"]["root"]["model"] == value["agents"]["handling"]["model"] == "inhouse"
    assert value["agents"]["review"]["fallback"] == {"models": ["inhouse.2"], "retries": -1}
    assert "openai" not in value["providers"]


def test_another_setting_of_a_model_is_another_model() -> None:
    models = Models()
    settings: list[dict[str, Any]] = [
        {},
        {"temperature": 0},
        {"max_output_tokens": 9},
        {"reasoning_effort": "low"},
        {"temperature": 0},
    ]
    names = [models.of(agent(provider="openai", model="m", **each)) for each in settings]
    assert names == ["openai", "openai.2", "openai.3", "openai.4", "openai.2"]
    assert models.models["openai.2"] == {"provider": "openai", "model": "m", "temperature": 0}
    assert models.models["openai.3"]["max_tokens"] == 9
    assert models.models["openai.4"]["thinking_budget"] == "low"


@pytest.mark.parametrize(
    ("provider", "connection"),
    [
        ("anthropic", None),
        ("default", {"base_url": "http://127.0.0.1:8080/v1"}),
        ("in-house", {"base_url": "https://in-house.invalid/v1", "token_key": "IN_HOUSE_API_KEY"}),
    ],
)
def test_only_a_provider_that_docker_agent_does_not_know_is_written(
    provider: str, connection: dict[str, str] | None
) -> None:
    models = Models()
    models.of(agent(provider=provider))
    expected = {"api_type": "openai_chatcompletions"} | (connection or {})
    assert models.providers == ({provider: expected} if connection else {})
    assert models.models[provider]["model"] == "default"


@pytest.mark.parametrize(
    ("fields", "fallback"),
    [
        ({}, {}),
        ({"retries": 0}, {"retries": -1}),
        ({"retries": 3}, {"retries": 3}),
        ({"fallback": "openai", "fallback_model": "small"}, {"models": ["openai"]}),
    ],
)
def test_a_fallback_has_a_model_and_retries_if_the_agent_has(
    fields: dict[str, Any], fallback: dict[str, Any]
) -> None:
    assert Models().fallback_of(agent(**fields)) == fallback
