"""The YAML file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.sound_pipeline import sound, team, with_way, workflow
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


def written(definition: PipelineDefinition) -> Any:
    return yaml.safe_load(export(definition, "docker-agent").files["agents.yaml"])


def losses(definition: PipelineDefinition) -> dict[str, str]:
    return {each.part: each.kept for each in export(definition, "docker-agent").rows}


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


def test_the_agents_of_a_workflow_are_told_to_hand_their_result_over() -> None:
    assert "When your result is complete" in written(workflow())["agents"]["root"]["instruction"]


def test_the_condition_of_a_transition_is_in_the_instructions_of_its_source() -> None:
    value = written(with_way("intake", "handling", description="When it is about money."))
    assert "\n- handling, next: When it is about money." in value["agents"]["root"]["instruction"]


def test_a_filter_of_the_last_messages_limits_the_history_of_its_target() -> None:
    last = {"input_filter": {"keep": "last", "count": 3}}
    definition = with_way("intake", "handling", **last)
    assert "num_history_items" not in written(definition)["agents"]["handling"]
    assert losses(definition)["Filter of the last messages"] == "lost"
    first, second = definition.transitions[:2]
    both = definition.model_copy(update={"transitions": (first, second)})
    assert written(both)["agents"]["handling"]["num_history_items"] == 3
    assert losses(both)["Filter of the last messages"] == "comment"


TOOLS: list[dict[str, Any]] = [
    {
        "name": "find",
        "description": "Finds",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
        },
    },
    {
        "name": "call",
        "kind": "http",
        "approval": True,
        "http": {"method": "POST", "url": "https://shop.example/orders/{id}"},
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
    {"name": "inside", "kind": "http", "http": {"url": "/orders", "connection": "shop"}},
    {"name": "search", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find_page"}},
    {"name": "ask", "kind": "user_input", "description": "Asks"},
    {"name": "task", "kind": "subtask", "pipeline": "Other"},
]


def test_tools_become_toolsets_and_an_approval_becomes_a_permission() -> None:
    names = [each["name"] for each in TOOLS]
    agents = [
        {"id": "triage", "name": "Triage", "tools": names},
        *sound().model_dump()["agents"][:2],
    ]
    definition = sound(tools=TOOLS, agents=[each for each in agents if each["id"] != "handler"])
    value = written(definition)
    toolsets = {each["type"]: each for each in value["agents"]["root"]["toolsets"]}
    assert set(toolsets["script"]["shell"]) == {"find", "task"}
    assert toolsets["script"]["shell"]["find"]["required"] == ["id"]
    apis = [
        each["api_config"] for each in value["agents"]["root"]["toolsets"] if each["type"] == "api"
    ]
    assert [each["endpoint"] for each in apis] == [
        "https://shop.example/orders/${id}",
        "https://shop.invalid/orders",
    ]
    assert toolsets["mcp"]["tools"] == ["find_page"]
    assert toolsets["mcp"]["remote"]["url"] == "https://docs.invalid/mcp"
    assert toolsets["user_prompt"]["instruction"] == "ask: Asks"
    assert value["permissions"]["ask"] == ["call"]
    assert "call" not in value["permissions"]["allow"]
    kept = {
        (each.part, place): each.kept
        for each in export(definition, "docker-agent").rows
        for place in each.places
    }
    assert kept["HTTP tools", "call"] == "native"
    assert kept["HTTP tools", "inside"] == kept["MCP tools", "search"] == "code"
    assert kept["Function tools", "find"] == kept["Subtasks", "task"] == "code"
    assert kept["Questions to the user", "ask"] == "comment"
    assert kept["Approval", "call"] == "native"


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


def test_the_model_of_a_fallback_without_a_provider_is_left_out_and_changes_nothing() -> None:
    agents = [{"id": "triage", "name": "A", "fallback_model": "small"}]
    definition = sound(agents=agents)
    [row] = [
        each
        for each in export(definition, "docker-agent").rows
        if each.part == "Fallback, retries, time limit"
    ]
    assert (row.kept, row.differs) == ("comment", False)
    assert "fallback" not in written(definition)["agents"]["root"]


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
