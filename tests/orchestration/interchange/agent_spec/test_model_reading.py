"""Settings of models that are read from components of Agent Spec."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.agent_spec.document import Document
from orchestration.interchange.agent_spec.metadata import metadata
from orchestration.interchange.agent_spec.model_reading import ModelReading
from orchestration.interchange.reading import Reading
from tests.orchestration.interchange.agent_spec.imported import changed
from tests.orchestration.interchange.agent_spec.rich import SCHEMA, rich


def settings(config: object) -> tuple[dict[str, Any], set[str]]:
    """The fields of an agent with this model, and the paths of losses."""
    reading = Reading("agent-spec")
    found = ModelReading(reading, Document({})).read(config, "$.llm")
    return found, {place for row in reading.rows if row.kept == "lost" for place in row.places}


def config(**fields: Any) -> dict[str, Any]:
    return {"component_type": "OpenAiConfig", "name": "m", "model_id": "gpt-5", **fields}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"temperature": 0}, {"temperature": 0}),
        ({"temperature": 2.5}, {}),
        ({"temperature": True}, {}),
        ({"max_tokens": 1_000_000}, {"max_output_tokens": 1_000_000}),
        ({"max_tokens": 0}, {}),
        ({"max_tokens": 1.5}, {}),
        ({"top_p": 0.5}, {}),
    ],
)
def test_a_setting_that_an_agent_cannot_have_is_a_loss(
    given: dict[str, Any], kept: dict[str, Any]
) -> None:
    found, lost = settings(config(default_generation_parameters=given))
    assert found == {"provider": "default", "model": "gpt-5"} | kept
    places = {f"$.llm.default_generation_parameters.{key}" for key in given}
    assert lost == (set() if kept else places)


def test_empty_settings_of_a_model_are_no_losses() -> None:
    empty = {"temperature": None, "top_p": None}
    assert settings(config(default_generation_parameters=empty, url=None))[1] == set()
    assert settings(None) == ({}, set())


def test_the_provider_of_an_export_counts_as_long_as_the_model_is_the_same() -> None:
    own = config(**metadata(provider="openai", model="gpt-5"))
    assert settings(own)[0] == {"provider": "openai", "model": "gpt-5"}
    assert settings(own | {"model_id": "other"})[0] == {"provider": "default", "model": "other"}
    other = own | {"component_type": "OllamaConfig"}
    assert settings(other)[0] == {"provider": "default", "model": "gpt-5"}


def test_a_model_of_several_agents_is_reported_once() -> None:
    document = Document({"$referenced_components": {"m": config(url="https://a.example")}})
    reading = Reading("agent-spec")
    models = ModelReading(reading, document)
    first = models.read({"$component_ref": "m"}, "$.a.llm_config")
    assert first == models.read({"$component_ref": "m"}, "$.b.llm_config")
    assert [row.places for row in reading.rows] == [
        ("$.$referenced_components.m",),
        ("$.$referenced_components.m.url",),
    ]


def test_a_changed_model_keeps_the_other_settings_of_the_agent() -> None:
    model = {"model_id": "other", "default_generation_parameters": {"temperature": 1.5}}
    agent = changed(rich(), **{"model.default": model}).definition.agents_by_id["billing"]
    assert (agent.provider, agent.model, agent.temperature) == ("default", "other", 1.5)
    assert (agent.max_output_tokens, agent.response_schema) == (None, SCHEMA)
