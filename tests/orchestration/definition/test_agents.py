"""Agents and their fields in a file."""

import json

import pytest
from pydantic import ValidationError

from orchestration.definition import Agent, PipelineDefinition, fallback_fields
from orchestration.loading import load


def test_a_file_contains_the_language_of_an_agent_only_if_there_is_one() -> None:
    plain = PipelineDefinition(name="Desk", agents=(Agent(id="a", name="A"),))
    assert json.loads(plain.dump())["agents"] == [{"id": "a", "name": "A"}]
    agent = Agent(id="a", name="A", language="French")
    french = PipelineDefinition(name="Desk", agents=(agent,))
    assert json.loads(french.dump())["agents"][0]["language"] == "French"
    assert load(french.dump()) == french


def test_an_agent_has_no_field_for_the_key_of_its_provider() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Agent.model_validate({"id": "a", "name": "A", "api_key": "secret"})


def test_the_fallback_replaces_provider_and_model():
    agent = Agent(id="a", name="A", provider="big", model="m", fallback="small")
    replaced = agent.with_fallback()
    assert (replaced.provider, replaced.model, replaced.fallback) == ("small", "", None)
    assert Agent(id="a", name="A", provider="big", model="m").with_fallback().provider == "big"


def test_the_fields_of_a_fallback_name_its_provider_and_model():
    replaced = Agent(id="a", name="A", **fallback_fields("small", "s")).with_fallback()
    assert (replaced.provider, replaced.model) == ("small", "s")


def test_tools_of_an_agent_are_distinct_and_sorted():
    assert Agent(id="a", name="A", tools=("b", "a", "b")).tools == ("a", "b")
