"""Rules about the settings of handoffs."""

from typing import Any

import pytest

from orchestration.validation import validate
from tests.orchestration.sound_pipeline import (
    SOUND,
    codes,
    only_issue,
    sound,
    team,
    value_at,
    with_transition,
    workflow,
)

ORDER = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}


def test_a_payload_schema_may_describe_an_object() -> None:
    """Contract S-3."""
    assert validate(with_transition("intake", "handling", input_schema=ORDER)) == ()


@pytest.mark.parametrize(
    "schema", [{}, {"type": "string"}, {"type": "object", "properties": {"a": {"type": "text"}}}]
)
def test_an_invalid_payload_schema_is_an_error(schema: dict[str, Any]) -> None:
    """Contract S-3."""
    definition = with_transition("intake", "handling", input_schema=schema)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("input-schema-invalid", "error")
    assert (issue.where.kind, issue.where.keys) == ("transition", ("intake", "handling"))
    assert issue.message.startswith("The schema of the handoff from 'intake' to 'handling' is")
    assert value_at(definition, issue.where.path) == schema


def test_a_filter_with_an_expression_is_valid() -> None:
    """Contract S-4."""
    shown = {"keep": "matching", "expression": "message.role == 'user'"}
    assert validate(with_transition("intake", "handling", input_filter=shown)) == ()


@pytest.mark.parametrize("expression", [None, "", "  "])
def test_a_filter_of_matching_messages_needs_an_expression(expression: str | None) -> None:
    """Contract S-4."""
    shown = {"keep": "matching", "expression": expression}
    issue = only_issue(with_transition("intake", "handling", input_filter=shown))
    assert (issue.code, issue.severity) == ("filter-invalid", "error")
    assert issue.message.endswith("has no expression: enter one.")


def test_the_error_of_an_expression_contains_its_column() -> None:
    """Contract S-4."""
    shown = {"keep": "matching", "expression": "message.role =="}
    definition = with_transition("intake", "handling", input_filter=shown)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("filter-invalid", "error")
    assert "is wrong at column 16" in issue.message
    assert value_at(definition, issue.where.path) == "message.role =="


def test_an_unused_expression_is_not_checked() -> None:
    """Contract S-4."""
    shown = {"keep": "full", "expression": "message.role =="}
    assert validate(with_transition("intake", "handling", input_filter=shown)) == ()


SETTINGS: dict[str, Any] = {
    "input_schema": ORDER,
    "tool_name": "file_order",
    "input_filter": {"keep": "last"},
}


@pytest.mark.parametrize("topology", ["workflow", "team"])
@pytest.mark.parametrize("name", SETTINGS)
def test_without_handoffs_their_settings_have_no_effect(topology: str, name: str) -> None:
    """Contract H-3, H-5."""
    given = workflow() if topology == "workflow" else team()
    first = given.transitions_from["intake"][0].model_dump() | {name: SETTINGS[name]}
    rest = [
        transition.model_dump() for transition in given.transitions if transition.kind == "return"
    ]
    rest += [
        transition.model_dump() for transition in given.transitions if transition.source != "intake"
    ]
    made = {"workflow": workflow, "team": team}[topology](transitions=[first, *rest])
    issue = only_issue(made)
    assert (issue.code, issue.severity) == ("handoff-setting-unused", "warning")
    assert issue.where.keys == ("intake", "handling")
    assert issue.where.path.endswith(f".{name}")
    assert f"a {topology} has no handoffs" in issue.message


def test_all_settings_without_effect_are_named() -> None:
    """Contract H-3."""
    first = SOUND["transitions"][0] | SETTINGS
    issue = only_issue(workflow(transitions=[first, *SOUND["transitions"][1:3]]))
    assert "has a schema and a tool's name and a filter without effect" in issue.message


def test_a_setting_without_effect_has_no_second_issue() -> None:
    """Contract H-3."""
    wrong = {"input_schema": {}, "input_filter": {"keep": "matching"}}
    first = SOUND["transitions"][0] | wrong
    definition = workflow(transitions=[first, *SOUND["transitions"][1:3]])
    assert codes(definition) == ["handoff-setting-unused"]


def test_a_tool_name_needs_a_schema() -> None:
    """Contract S-3."""
    named = with_transition("intake", "handling", tool_name="file_order")
    issue = only_issue(named)
    assert (issue.code, issue.severity) == ("handoff-setting-unused", "warning")
    assert "only a handoff with a schema" in issue.message
    typed = with_transition("intake", "handling", tool_name="file_order", input_schema=ORDER)
    assert validate(typed) == ()


@pytest.mark.parametrize(("source", "target"), [("review", "desk"), ("desk", "intake")])
def test_settings_of_handoffs_with_the_human_have_no_effect(source: str, target: str) -> None:
    """Contract O-9."""
    back = {"source": "desk", "target": "intake", "kind": "return"}
    definition = sound(
        transitions=[
            transition | ({"input_schema": ORDER} if transition["target"] == target else {})
            for transition in [*SOUND["transitions"], back]
        ]
    )
    issue = only_issue(definition)
    assert (issue.code, issue.where.keys) == ("handoff-setting-unused", (source, target))
