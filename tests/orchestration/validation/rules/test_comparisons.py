"""Rules about comparisons in routing rules."""

from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import codes, only_issue, sound, value_at, with_more


def with_rows(*rows: tuple[str, str, Any], match: str = "all") -> PipelineDefinition:
    """Return a valid definition with these rows in a routing rule."""
    written = [{"field": field, "operator": op, "value": value} for field, op, value in rows]
    conditions = {"match": match, "rows": written}
    return with_more("rules", {"id": "night", "agent_id": "triage", "conditions": conditions})


@pytest.mark.parametrize(
    "row",
    [
        ("event.text", "contains", "refund"),
        ("event.text", "starts_with", "Hello"),
        ("event.channel_type", "one_of", ["sms", "email"]),
        ("event.intent", "is_not", ""),
        ("conversation.messages", "at_least", 3),
        ("conversation.messages", "is", "3"),
        ("state.handoff_count", "one_of", ["1", "2"]),
        ("state.phase", "is", "Intake"),
        ("state.phase", "contains", "attic"),
        ("state.active_agent_id", "is_not", "handler"),
        ("state.active_agent_id", "is", ""),
    ],
)
def test_a_row_with_fitting_values_is_valid(row: tuple[str, str, Any]) -> None:
    """Contract O-4."""
    assert validate(with_rows(row)) == ()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (("conversation.messages", "contains", 3), "is a number and cannot use 'contains'"),
        (("state.handoff_count", "ends_with", "3"), "is a number and cannot use 'ends_with'"),
        (("event.text", "at_least", 3), "is a text and cannot use 'at_least'"),
        (("conversation.messages", "is", "many"), "is a whole number, and 'many' is not"),
        (("conversation.messages", "is", ""), "is a whole number, and '' is not"),
        (("state.handoff_count", "one_of", ["1", "x", "y"]), "and 'x' and 'y' are not"),
        (("event.intent", "one_of", "refund"), "'one_of' needs a list"),
        (("event.intent", "is", ["refund"]), "'is' needs a single value"),
    ],
)
def test_a_row_with_an_unsuitable_operator_or_value_is_an_error(
    row: tuple[str, str, Any], why: str
) -> None:
    """Contract O-4."""
    definition = with_rows(("event.text", "is", "hi"), row)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("comparison-invalid", "error")
    assert issue.where.keys == ("night",)
    assert issue.message.startswith("Row 2 of the routing rule 'night' is wrong: ")
    assert why in issue.message
    value_at(definition, issue.where.path)


@pytest.mark.parametrize("match", ["all", "any", "not"])
@pytest.mark.parametrize(
    ("row", "named"),
    [
        (("state.phase", "is", "attic"), "the stage 'attic', and there is no such stage"),
        (("state.phase", "one_of", ["attic", "intake"]), "the stage 'attic', and"),
        (("state.phase", "is_not", "attic"), "the stage 'attic', and"),
        (("state.active_agent_id", "is", "owl"), "the agent 'owl', and there is no such agent"),
        (("state.active_agent_id", "one_of", ["cat", "owl"]), "'cat' and 'owl', and there are"),
    ],
)
def test_a_row_must_name_existing_stages_and_agents(
    row: tuple[str, str, Any], named: str, match: str
) -> None:
    """Contract O-4."""
    definition = with_rows(row, match=match)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("comparison-unknown", "error")
    assert named in issue.message
    value_at(definition, issue.where.path)


def test_a_row_may_name_a_group_by_its_phase() -> None:
    """Contract H-9."""
    group = {"phase": "panel", "kind": "group", "group": {"agents": ["triage", "reviewer"]}}
    leads = {"source": "panel", "target": "intake"}
    rows = [{"field": "state.active_agent_id", "value": "panel"}]
    definition = sound(
        stages=[*sound().model_dump()["stages"], group],
        transitions=[*sound().model_dump()["transitions"], leads],
        rules=[{"id": "night", "agent_id": "handler", "conditions": {"rows": rows}}],
    )
    assert codes(definition) == ["stage-unreachable"]


NEVER = ("conversation.messages", "at_most", -1)
SOMETIMES = ("event.text", "contains", "refund")


@pytest.mark.parametrize(
    ("rows", "match", "why"),
    [
        ([SOMETIMES, NEVER], "all", "row 2 is never true"),
        ([("event.intent", "one_of", [])], "all", "row 1 is never true"),
        ([NEVER, ("state.handoff_count", "is", -3)], "any", "none of its rows is ever true"),
        (
            [("event.intent", "is", "refund"), ("event.intent", "is", "order")],
            "all",
            "event.intent cannot have two values at once",
        ),
    ],
)
def test_rows_that_are_never_true_are_a_warning(
    rows: list[tuple[str, str, Any]], match: str, why: str
) -> None:
    """Contract O-4."""
    definition = with_rows(*rows, match=match)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-never", "warning")
    assert issue.message == f"The routing rule 'night' can never match, because {why}."
    value_at(definition, issue.where.path)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([SOMETIMES, NEVER], "any"),
        ([NEVER], "not"),
        ([], "any"),
        ([("event.intent", "is", "refund"), ("event.intent", "is", "Refund")], "all"),
        ([("event.intent", "is", "refund"), ("event.intent", "is", "order")], "any"),
        ([("conversation.messages", "at_least", -1)], "all"),
    ],
)
def test_rows_that_can_be_true_are_valid(rows: list[tuple[str, str, Any]], match: str) -> None:
    """Contract O-4."""
    assert validate(with_rows(*rows, match=match)) == ()
