"""Agents and their stages as components."""

from __future__ import annotations

from typing import Any

from orchestration.definition import Agent, Stage
from orchestration.interchange.agent_spec.agents import names_of
from tests.orchestration.interchange.agent_spec.rich import document, rich


def component(key: str, **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = document(rich(**changes))["$referenced_components"][key]
    return found


def test_the_conditions_of_transitions_describe_a_stage_without_a_description() -> None:
    assert component("agent.billing.billing")["description"] == "Money"
    stages = [{"phase": key, "agent_id": key} for key in ("triage", "billing")]
    assert component("agent.billing.billing", stages=stages)["description"] == "About money"


def test_placeholders_with_a_variable_are_inputs_with_a_default() -> None:
    assert component("agent.triage.triage")["inputs"] == [
        {"title": "plan", "type": "string", "default": "free"}
    ]
    assert "inputs" not in component("agent.triage.triage", variables={})


def test_a_flow_has_the_inputs_of_its_agents() -> None:
    assert component("start", topology="workflow")["inputs"] == [
        {"title": "plan", "type": "string", "default": "free"}
    ]


def test_a_schema_for_answers_is_written_as_outputs() -> None:
    assert component("agent.billing.billing")["outputs"] == [
        {"title": "order", "type": "integer", "description": "Its number"}
    ]


def test_components_have_distinct_names() -> None:
    agents = [
        Agent(id=key, name=name) for key, name in zip("abcd", ("A", "A", "A (b)", "A"), strict=True)
    ]
    stages = [Stage(phase=key, agent_id=key) for key in "abcd"]
    names = names_of(list(zip(stages, agents, strict=True)))
    assert names == ["A", "A (b)", "A (b) (c)", "A (d)"]
