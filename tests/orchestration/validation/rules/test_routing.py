"""Rules about routing rules."""

from collections.abc import Callable

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import (
    codes,
    only_issue,
    team,
    value_at,
    with_more,
    workflow,
)


def test_a_routing_rule_must_select_an_existing_agent() -> None:
    definition = with_more("rules", {"id": "night", "agent_id": "owl"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-agent-unknown", "error")
    assert value_at(definition, issue.where.path) == "owl"


def test_a_routing_rule_must_name_existing_stages() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"phases": ["attic", "intake"]}}
    definition = with_more("rules", rule)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-phase-unknown", "error")
    assert value_at(definition, issue.where.path) == "attic"


@pytest.mark.parametrize("field", ["phases", "channel_types", "intents", "source_channel_ids"])
def test_a_routing_rule_with_an_empty_choice_never_matches(field: str) -> None:
    """Contract O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {field: []}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("rule-never", "warning")
    assert repr(field) in issue.message


def test_a_routing_rule_without_conditions_matches_anything() -> None:
    """Contract O-4."""
    assert validate(with_more("rules", {"id": "rest", "agent_id": "triage"})) == ()


def test_the_error_of_a_condition_contains_its_column() -> None:
    """Contract O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "state.phase =="}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("condition-invalid", "error")
    assert "'night' is wrong at column 15" in issue.message


def test_a_condition_must_have_a_boolean_result() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "1 + 1"}}
    assert codes(with_more("rules", rule)) == ["condition-invalid"]


def test_a_condition_that_compiles_is_valid() -> None:
    custom = "event.channel_type == 'email' && state.handoff_count > 2"
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": custom}}
    assert validate(with_more("rules", rule)) == ()


@pytest.mark.parametrize("make", [workflow, team])
def test_routing_is_unused_if_every_message_begins_at_the_entry(
    make: Callable[..., PipelineDefinition],
) -> None:
    """Contract H-3, H-5."""
    rule = {"id": "night", "agent_id": "triage"}
    issues = validate(make(rules=[rule], default_agent_id="triage"))
    assert [(issue.code, issue.severity) for issue in issues] == [
        ("rule-unused", "warning"),
        ("default-agent-unused", "warning"),
    ]
    assert issues[0].where.keys == ("night",)
