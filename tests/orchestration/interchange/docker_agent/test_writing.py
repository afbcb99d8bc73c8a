"""The YAML file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from orchestration.definition import PipelineDefinition
from tests.orchestration.interchange.docker_agent.exported import losses, written
from tests.orchestration.sound_pipeline import sound, team, with_transition
from tests.orchestration.strategies import definitions

ROOT_FIELDS = {"version", "metadata", "providers", "models", "agents", "permissions"}
AGENT_FIELDS = {
    "model",
    "description",
    "instruction",
    "fallback",
    "toolsets",
    "handoffs",
    "sub_agents",
    "max_iterations",
    "num_history_items",
    "structured_output",
}


def test_stages_become_agents_with_handoffs_and_the_entry_becomes_root() -> None:
    value = written(sound())
    handoffs = {key: each.get("handoffs", []) for key, each in value["agents"].items()}
    assert value["version"] == "7"
    assert handoffs == {
        "root": ["handling"],
        "desk": [],
        "handling": ["review"],
        "review": ["desk", "handling"],
        "watcher": [],
    }
    assert value["agents"]["root"]["description"] == "Triage (triage)"
    assert value["agents"]["root"]["max_iterations"] == sound().limits.max_turns
    assert "A person answers" in value["agents"]["desk"]["instruction"]


def test_a_team_delegates_to_sub_agents() -> None:
    agents = written(team())["agents"]
    assert agents["root"]["sub_agents"] == ["handling", "review"]
    assert "handoffs" not in agents["root"]


def test_a_filter_of_the_last_messages_limits_the_history_of_its_target() -> None:
    last = {"input_filter": {"keep": "last", "count": 3}}
    definition = with_transition("intake", "handling", **last)
    assert "num_history_items" not in written(definition)["agents"]["handling"]
    assert losses(definition)["Filter of the last messages"] == "lost"
    first, second = definition.transitions[:2]
    both = definition.model_copy(update={"transitions": (first, second)})
    assert written(both)["agents"]["handling"]["num_history_items"] == 3
    assert losses(both)["Filter of the last messages"] == "comment"


@pytest.mark.parametrize(
    ("schema", "kept"),
    [({"type": "object", "properties": {}}, "native"), ({"type": "string"}, "lost")],
)
def test_only_a_schema_of_an_object_is_an_answer_of_docker_agent(
    schema: dict[str, Any], kept: str
) -> None:
    agents = [{"id": "triage", "name": "A", "response_schema": schema}]
    definition = sound(agents=agents)
    assert losses(definition)["Answer in a schema"] == kept
    assert ("structured_output" in written(definition)["agents"]["root"]) == (kept == "native")


@given(definitions())
def test_a_file_has_known_fields_and_no_dangling_target(definition: PipelineDefinition) -> None:
    value = written(definition)
    agents = value["agents"]
    assert value.keys() <= ROOT_FIELDS
    for agent in agents.values():
        assert agent.keys() <= AGENT_FIELDS
        assert agent["model"] in value["models"]
        assert {*agent.get("handoffs", ()), *agent.get("sub_agents", ())} <= agents.keys()
    for model in value.get("models", {}).values():
        assert model["provider"] in ("openai", "anthropic", "google", *value.get("providers", {}))
