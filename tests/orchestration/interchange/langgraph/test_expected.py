"""File `expected.json`: what the tests of a project expect."""

from __future__ import annotations

import json
from typing import Any

from tests.orchestration.interchange.langgraph.exported import ORDER, desk, files_of


def expected(**changes: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(files_of(desk(**changes))["expected.json"])
    return value


def test_a_handoff_has_a_payload_that_matches_its_schema() -> None:
    assert expected()["handoffs"] == [
        ["bills", "billing", "transfer_to_triage", {"reason": "A question."}, "intake", "intake"],
        ["intake", "triage", "transfer_to_billing", {"order": 1}, "bills", "bills"],
    ]


def test_a_payload_uses_examples_choices_and_types() -> None:
    properties = {
        "a": {"type": "string", "examples": ["x"]},
        "b": {"enum": [3, 4]},
        "c": {"const": None},
        "d": {"type": "object", "properties": {"e": {"type": "boolean"}}, "required": ["e"]},
        "f": {"type": "array"},
    }
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    way = {"source": "intake", "target": "bills", "input_schema": schema}
    [handoff] = expected(transitions=[way])["handoffs"]
    assert handoff[3] == {"a": "x", "b": 3, "c": None, "d": {"e": True}, "f": []}


def test_a_schema_without_a_simple_example_is_not_tested() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^[0-9]{9}$"}}}
    for extra in ({"required": ["a"]}, {"required": ["a"], "properties": {"a": {"$ref": "#/x"}}}):
        way = {"source": "intake", "target": "bills", "input_schema": schema | extra}
        assert expected(transitions=[way])["handoffs"] == []


def test_agents_have_their_tools_with_exact_schemas() -> None:
    found = {agent: schemas for _, agent, schemas in expected()["agents"]}
    assert found["triage"] == {"transfer_to_billing": ORDER}
    assert set(found["billing"]) == {"find_invoice", "transfer_to_triage"}


def test_only_the_entry_of_a_workflow_or_team_is_started() -> None:
    assert [stage for stage, *_ in expected(topology="workflow")["agents"]] == ["intake"]
    team = expected(topology="team")
    assert team["delegations"] == [["triage", "delegate_to_billing", ["billing"]]]
