"""Agents and stages that are read from components of Agent Spec."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.interchange import read
from orchestration.interchange.agent_spec.agent_reading import kinds_of
from tests.orchestration.interchange.agent_spec.imported import AGENT, changed, lost
from tests.orchestration.interchange.agent_spec.rich import rich

EXPERT, LATER = "agent.expert.expert", "agent.expert.later"


def test_placeholders_become_variables_as_far_as_these_allow() -> None:
    prompt = "{{plan}} {{请求}} " + " ".join(f"{{{{v{number}}}}}" for number in range(60))
    inputs = [{"title": "plan", "type": "string", "default": "free"}, {"title": "v1", "default": 3}]
    agent = {"component_type": "Agent", "name": "A", "system_prompt": prompt, "inputs": inputs}
    result = read(json.dumps(agent))
    assert len(result.definition.variables) == 50
    assert (result.definition.variables["plan"], result.definition.variables["v1"]) == ("free", "")
    assert len([row for row in result.losses if row.part == "Variable"]) == 12


def test_a_component_that_is_no_agent_is_a_loss_with_its_path() -> None:
    value = {
        "component_type": "ManagerWorkers",
        "group_manager": AGENT,
        "workers": [{"component_type": "OciAgent", "name": "Far"}, {"component_type": 3}],
    }
    assert lost(value) == {("Agent", "$.workers[0]"), ("Agent", "$.workers[1]")}


def test_parts_of_an_agent_that_are_not_understood_are_losses() -> None:
    value = AGENT | {
        "transforms": [{"component_type": "MessageSummarizationTransform"}],
        "toolboxes": [{"component_type": "MCPToolBox"}, 3],
        "tools": [{"component_type": "BuiltinTool", "name": "x"}, {"$component_ref": "none"}],
        "llm_config": {"$component_ref": "none"},
    }
    assert lost(value) == {
        ("Agent", "$.transforms"),
        ("Toolbox", "$.toolboxes[0]"),
        ("Toolbox", "$.toolboxes[1]"),
        ("Tool", "$.tools[0]"),
        ("Tool", "$.tools[1]"),
        ("Model", "$.llm_config"),
    }


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("name", "Front", "name"),
        ("system_prompt", "Greet.", "instructions"),
    ],
)
def test_a_changed_field_of_an_agent_wins(field: str, value: str, name: str) -> None:
    agent = changed(rich(), **{"agent.triage.triage": {field: value}}).definition.agents_by_id
    assert getattr(agent["triage"], name) == value
    assert agent["billing"] == rich().agents_by_id["billing"]


def test_a_changed_description_of_an_agent_becomes_that_of_its_stage() -> None:
    found = changed(rich(), **{EXPERT: {"description": "Knows more"}}).definition
    assert found.stages_by_phase["expert"].description == "Knows more"


def test_changed_outputs_become_the_schema_for_answers() -> None:
    outputs = [{"title": "sum", "type": "number"}]
    agent = changed(rich(), **{"agent.billing.billing": {"outputs": outputs}}).definition
    assert agent.agents_by_id["billing"].response_schema == {
        "type": "object",
        "properties": {"sum": {"type": "number"}},
        "required": ["sum"],
    }


def test_a_changed_default_of_an_input_is_the_value_of_the_variable() -> None:
    inputs = [{"title": "plan", "type": "string", "default": "pro"}]
    found = changed(rich(), **{"agent.triage.triage": {"inputs": inputs}}).definition
    assert found.variables == {**rich().variables, "plan": "pro"}


def test_one_changed_copy_of_an_agent_becomes_an_agent_of_its_own() -> None:
    found = changed(rich(), **{LATER: {"system_prompt": "Look again."}}).definition
    keys = [found.stages_by_phase[phase].agent_id for phase in ("later", "expert")]
    assert keys == ["expert", "expert-2"]  # the first one of the document keeps its id
    copies = [found.agents_by_id[key or ""] for key in keys]
    assert [each.instructions for each in copies] == ["Look again.", ""]
    assert [each.language for each in copies] == ["French", "French"]


@pytest.mark.parametrize(
    "agent", [{"id": "No key"}, {"id": "triage", "tools": 3}, {"id": "triage", "extra": 1}]
)
def test_invalid_data_of_an_agent_is_a_loss(agent: dict[str, Any]) -> None:
    data = {"metadata": {"baton": {"agent": agent}}}
    result = changed(rich(), **{"agent.triage.triage": data})
    assert [each.places for each in result.losses if each.kept == "lost"] == [
        ("$.$referenced_components.agent.triage.triage.metadata",)
    ]


def test_foreign_transitions_lead_forward_to_new_stages() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("b", "d"), ("x", "y")]
    assert kinds_of(pairs, "a") == ["next", "return", "return", "return", "next", "next"]
