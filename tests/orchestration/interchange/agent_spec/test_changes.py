"""Documents that another program changed after Baton exported them: the components win."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange import Import, read
from orchestration.loading import load_storable
from tests.orchestration.interchange.agent_spec.rich import SCHEMA, document, rich

Document = dict[str, Any]
EXPERT, LATER = "agent.expert.expert", "agent.expert.later"


def changed(definition: PipelineDefinition, **parts: dict[str, Any]) -> Import:
    """Return the import of an export with changed fields of referenced components."""
    written = document(definition)
    for key, fields in parts.items():
        written["$referenced_components"][key] |= fields
    return read(json.dumps(written))


def pairs(definition: PipelineDefinition) -> set[tuple[str, str]]:
    return {(each.source, each.target) for each in definition.transitions}


def reference(key: str) -> dict[str, str]:
    return {"$component_ref": key}


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


def test_a_changed_model_keeps_the_other_settings_of_the_agent() -> None:
    model = {"model_id": "other", "default_generation_parameters": {"temperature": 1.5}}
    agent = changed(rich(), **{"model.default": model}).definition.agents_by_id["billing"]
    assert (agent.provider, agent.model, agent.temperature) == ("default", "other", 1.5)
    assert (agent.max_output_tokens, agent.response_schema) == (None, SCHEMA)


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
    ("key", "field", "value", "name", "expected"),
    [
        ("find", "description", "Looks", "description", "Looks"),
        ("find", "requires_confirmation", True, "approval", True),
        ("refund", "requires_confirmation", False, "approval", False),
        (
            "find",
            "inputs",
            [{"title": "a", "type": "string", "default": None}],
            "parameters",
            {"type": "object", "properties": {"a": {"type": "string", "default": None}}},
        ),
    ],
)
def test_a_changed_field_of_a_tool_wins(
    key: str, field: str, value: object, name: str, expected: object
) -> None:
    found = changed(rich(), **{f"tool.{key}": {field: value}}).definition
    assert getattr(found.tools_by_name[key], name) == expected
    assert found.tools_by_name[key].time_limit == rich().tools_by_name[key].time_limit


def test_a_renamed_tool_is_renamed_for_its_agents() -> None:
    found = changed(rich(), **{"tool.find": {"name": "look_up"}}).definition
    assert "look_up" in found.agents_by_id["billing"].tools
    assert found.tools_by_name["look_up"].examples == rich().tools_by_name["find"].examples


def test_a_changed_request_keeps_the_connection() -> None:
    call = {"method": "POST", "url": "/pay", "connection": "shop", "take": "/sum"}
    tools = [{"name": "refund", "kind": "http", "http": call}]
    found = changed(rich(tools=tools), **{"tool.refund": {"url": "/pay/{{order}}"}}).definition
    http = found.tools_by_name["refund"].http
    assert http is not None
    assert (http.url, http.connection, http.take) == ("/pay/{order}", "shop", "/sum")


def test_another_server_of_an_mcp_tool_is_another_connection() -> None:
    found = changed(rich(), **{"mcp.manual": {"name": "New Manual"}}).definition
    mcp = found.tools_by_name["pages"].mcp
    assert mcp is not None
    assert (mcp.connection, mcp.tool) == ("new-manual", "pages")


def test_relationships_that_were_removed_or_added_change_the_transitions() -> None:
    written = document(rich())
    written["relationships"] = [
        [reference("agent.triage.triage"), reference("agent.billing.billing")],
        [reference("agent.billing.billing"), reference(EXPERT)],
        [reference(EXPERT), reference(LATER)],
    ]
    found = read(json.dumps(written)).definition
    assert pairs(found) == {
        ("triage", "billing"),
        ("billing", "expert"),
        ("expert", "checks"),
        ("checks", "later"),
        ("later", "person"),
    }
    kept = next(each for each in found.transitions if each.source == "triage")
    assert kept == next(each for each in rich().transitions if each.target == "billing")


def test_another_first_agent_is_the_entry() -> None:
    written = document(rich()) | {"first_agent": reference("agent.billing.billing")}
    assert read(json.dumps(written)).definition.entry == "billing"


def test_an_agent_that_was_removed_takes_its_transitions_along() -> None:
    written = document(rich())
    written["relationships"] = [
        pair for pair in written["relationships"] if reference("agent.billing.billing") not in pair
    ]
    found = read(json.dumps(written)).definition
    assert "billing" not in found.stages_by_phase
    assert not {pair for pair in pairs(found) if "billing" in pair}


def test_an_agent_that_was_added_becomes_a_stage() -> None:
    written = document(rich())
    new = {
        "component_type": "Agent",
        "name": "New one",
        "system_prompt": "Help.",
        "llm_config": None,
    }
    written["relationships"].append([reference("agent.triage.triage"), new])
    found = read(json.dumps(written)).definition
    assert ("triage", "new-one") in pairs(found)
    assert found.agents_by_id["new-one"].instructions == "Help."


def test_a_worker_that_was_removed_or_added_changes_the_team() -> None:
    written = document(rich(topology="team"))
    assert written["workers"] == [reference("agent.billing.billing"), reference(EXPERT)]
    written["workers"] = [reference(EXPERT), reference(LATER)]
    written["$referenced_components"][LATER] = dict(
        document(rich())["$referenced_components"][LATER]
    )
    found = read(json.dumps(written)).definition
    assert {pair for pair in pairs(found) if pair[0] == "triage"} == {
        ("triage", "expert"),
        ("triage", "later"),
    }


def test_a_shorter_flow_is_a_shorter_workflow() -> None:
    written = document(rich(topology="workflow"))
    assert [each["name"] for each in written["control_flow_connections"]] == [
        "start_to_triage",
        "triage_to_billing",
        "billing_to_later",
        "later_to_end",
    ]
    written["control_flow_connections"][1]["to_node"] = reference("node.later")
    del written["control_flow_connections"][2]
    found = read(json.dumps(written)).definition
    assert ("triage", "later") in pairs(found)
    assert ("triage", "billing") not in pairs(found)
    assert ("billing", "later") not in pairs(found)


def test_another_kind_of_document_is_another_topology() -> None:
    written = document(rich())
    team = {
        **{key: written[key] for key in ("name", "metadata", "$referenced_components")},
        "component_type": "ManagerWorkers",
        "group_manager": written["first_agent"],
        "workers": [reference(EXPERT)],
    }
    assert read(json.dumps(team)).definition.topology == "team"


@pytest.mark.parametrize("value", [3, {"topology": "ring"}, {"topology": "team", "rules": 3}])
def test_invalid_data_of_the_pipeline_is_left_out(value: object) -> None:
    written = document(rich())
    written["metadata"]["baton"]["pipeline"] = value
    result = read(json.dumps(written))
    assert result.definition.topology == "swarm"
    assert [each.id for each in result.definition.agents] == ["billing", "expert", "triage"]
    load_storable(result.definition.dump())


@pytest.mark.parametrize(
    ("key", "data"),
    [
        ("agent.triage.triage", {"agent": {"id": "No key"}}),
        ("agent.triage.triage", {"agent": {"id": "triage", "tools": 3}}),
        ("agent.triage.triage", {"agent": {"id": "triage", "extra": 1}}),
        ("tool.find", {"tool": {"name": "find", "http": 3}}),
    ],
)
def test_invalid_data_of_a_component_is_a_loss(key: str, data: dict[str, Any]) -> None:
    result = changed(rich(), **{key: {"metadata": {"baton": data}}})
    assert [each.places for each in result.losses if each.kept == "lost"] == [
        (f"$.$referenced_components.{key}.metadata",)
    ]
