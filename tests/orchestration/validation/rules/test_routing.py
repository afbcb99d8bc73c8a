"""The rules about routing rules."""

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


def test_a_routing_rule_picks_an_agent_of_the_pipeline() -> None:
    definition = with_more("rules", {"id": "night", "agent_id": "owl"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-agent-unknown", "error")
    assert value_at(definition, issue.where.path) == "owl"


def test_a_routing_rule_asks_about_stages_of_the_pipeline() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"phases": ["attic", "intake"]}}
    definition = with_more("rules", rule)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-phase-unknown", "error")
    assert value_at(definition, issue.where.path) == "attic"


@pytest.mark.parametrize("field", ["phases", "channel_types", "intents", "source_channel_ids"])
def test_a_routing_rule_that_asks_for_one_of_nothing_never_matches(field: str) -> None:
    """Contract O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {field: []}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("rule-never", "warning")
    assert repr(field) in issue.message


def test_a_routing_rule_without_conditions_matches_anything() -> None:
    """Contract O-4."""
    assert validate(with_more("rules", {"id": "rest", "agent_id": "triage"})) == ()


def test_a_condition_that_does_not_compile_says_at_which_column() -> None:
    """Contract O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "state.phase =="}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("condition-invalid", "error")
    assert "'night' is wrong at column 15" in issue.message


def test_a_condition_that_is_neither_true_nor_false_is_an_error() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "1 + 1"}}
    assert codes(with_more("rules", rule)) == ["condition-invalid"]


def test_a_condition_that_compiles_is_fine() -> None:
    custom = "event.channel_type == 'email' && state.handoff_count > 2"
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": custom}}
    assert validate(with_more("rules", rule)) == ()


@pytest.mark.parametrize("make", [workflow, team])
def test_where_every_message_begins_at_the_entry_no_routing_rule_is_asked(
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
