"""All rules together: order of the issues, and arbitrary definitions."""

import re

from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.validation import RULES, Draft, validate
from tests.orchestration.sound_pipeline import only_issue, sound, value_at, with_more
from tests.orchestration.strategies import definitions


def test_a_valid_pipeline_has_no_issues() -> None:
    assert validate(sound()) == ()


def test_errors_precede_warnings() -> None:
    definition = sound(
        entry="lobby",
        supervisor_id="ghost",
        transitions=[],
        rules=[{"id": "r", "agent_id": "ghost", "conditions": {"intents": []}}],
    )
    found = [(issue.severity, issue.code) for issue in validate(definition)]
    assert found == [
        ("error", "entry-unknown"),
        ("error", "supervisor-unknown"),
        ("error", "rule-agent-unknown"),
        ("warning", "agent-idle"),
        ("warning", "rule-never"),
    ]


def test_many_parts_are_counted_and_all_are_keys() -> None:
    more = [{"phase": f"p{number}", "agent_id": "triage"} for number in range(300)]
    issue = only_issue(with_more("stages", *more))
    assert len(issue.where.keys) == 300
    assert issue.message.endswith("and 281 more.")


@given(definitions())
def test_rules_are_deterministic_and_never_raise(definition: PipelineDefinition) -> None:
    issues = validate(definition)
    assert issues == validate(definition)
    for issue in issues:
        value_at(definition, issue.where.path)
        assert re.fullmatch(r"[A-Z].+\.", issue.message, re.DOTALL) or "condition" in issue.code


@given(definitions())
def test_rules_do_not_depend_on_each_other(
    definition: PipelineDefinition,
) -> None:
    alone = [issue for rule in RULES for issue in rule(Draft(definition))]
    assert sorted(alone, key=lambda issue: issue.severity) == list(validate(definition))
