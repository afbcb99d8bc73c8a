"""Settings of agents that are read from the models of a file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.docker_agent.model_reading import ModelReader
from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.reading import Reading


class Models:
    """A reader of models with the paths of its losses."""

    def __init__(self, **root: Any) -> None:
        self._reading = Reading("docker-agent")
        self.reader = ModelReader(ForeignDocument(self._reading), root)

    @property
    def lost(self) -> list[str]:
        return [place for row in self._reading.rows for place in row.places]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("openai/gpt-5", {"provider": "openai", "model": "gpt-5"}),
        ("openai", {"provider": "openai", "model": ""}),
        ("dmr/ai/qwen3", {"provider": "dmr", "model": "qwen3"}),
        ("openai/default", {"provider": "openai", "model": ""}),
        ("My Server/m", {"provider": "my-server", "model": "m"}),
    ],
)
def test_a_model_without_an_entry_names_its_provider(name: str, settings: dict[str, Any]) -> None:
    models = Models()
    assert models.reader.settings(name, ("a",)) == settings
    assert models.lost == []


@pytest.mark.parametrize(
    ("name", "settings"),
    [(3, {}), ("openai/" + "x" * 201, {"provider": "openai", "model": ""})],
)
def test_a_name_that_is_no_model_is_a_loss(name: object, settings: dict[str, Any]) -> None:
    models = Models()
    assert models.reader.settings(name, ("a",)) == settings
    assert models.lost == ["$.a"]
    assert Models().reader.settings(None, ("a",)) == {}


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("temperature", 0, {"temperature": 0}),
        ("temperature", 2.1, None),
        ("max_tokens", 1, {"max_output_tokens": 1}),
        ("max_tokens", 0, None),
        ("max_tokens", 1.5, None),
        ("thinking_budget", "high", {"reasoning_effort": "high"}),
        ("thinking_budget", 1024, None),
        ("base_url", "https://a.example", None),
        ("top_p", 0.5, None),
    ],
)
def test_a_setting_that_an_agent_cannot_have_is_lost_once(
    field: str, value: object, kept: dict[str, Any] | None
) -> None:
    models = Models(models={"fast": {"provider": "openai", "model": "m", field: value}})
    expected = {"provider": "openai", "model": "m"} | (kept or {})
    assert models.reader.settings("fast", ("a",)) == expected
    assert models.reader.settings("fast", ("b",)) == expected
    assert models.lost == ([] if kept else [f"$.models.fast.{field}"])


def test_only_the_first_fallback_is_read() -> None:
    models = Models(models={"fast": {"provider": "openai", "model": "m", "temperature": 1}})
    raw = {"models": ["fast", "ollama/x"], "retries": -1, "cooldown": "1m"}
    assert models.reader.fallback(raw, ("f",)) == {
        "fallback": "openai",
        "fallback_model": "m",
        "retries": 0,
    }
    assert sorted(models.lost) == ["$.f.cooldown", "$.f.models[1]"]
    assert models.reader.fallback({"retries": 0}, ("f",)) == {}


def test_the_address_of_a_provider_is_lost_unless_it_is_a_placeholder() -> None:
    providers = {
        "default": {"base_url": "http://127.0.0.1:8080/v1"},
        "inhouse": {"base_url": "https://inhouse.invalid/v1", "token_key": "INHOUSE_API_KEY"},
        "other": {"base_url": "https://inhouse.invalid/v1", "headers": {"a": "b"}},
        "wrong": 3,
    }
    assert sorted(Models(providers=providers).lost) == [
        "$.providers.other.base_url",
        "$.providers.other.headers",
        "$.providers.wrong",
    ]
