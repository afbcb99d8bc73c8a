"""Rules about limits and the budget."""

import pytest

from orchestration.definition import Group, Limits, PipelineDefinition, Tool
from orchestration.validation import apply_fix, find_fix, validate
from tests.orchestration.topologies import chain, star, with_group


def budget_issues(definition: PipelineDefinition) -> list[str]:
    return [issue.message for issue in validate(definition) if issue.code == "budget-exceeded"]


def panel(*members: str, **fields) -> PipelineDefinition:
    return with_group(Group(agents=members), **fields)


def with_subtasks(count: int, **fields) -> PipelineDefinition:
    tools = [Tool(name=f"ask_{number}", kind="subtask", pipeline="X") for number in range(count)]
    return chain("a", tools=tools, **fields)


@pytest.mark.parametrize(
    ("definition", "is_reported"),
    [
        (star("lead", "a", "b"), False),
        (star("lead", "a", "b", limits=Limits(max_turns=66)), False),
        (star("lead", "a", "b", limits=Limits(max_turns=67)), True),
        (star("lead", "a", "b", limits=Limits(max_turns=67, max_calls=201)), False),
        (star("lead", *"abcdefgh"), True),
        (panel("a", "b", limits=Limits(max_turns=67)), True),
        (panel("a", "b"), False),
        (with_subtasks(1, limits=Limits(max_turns=101)), True),
        (with_subtasks(1, limits=Limits(max_turns=100)), False),
        (chain("a", "b", limits=Limits(max_turns=1_000)), False),
    ],
)
def test_limits_that_multiply_past_the_budget_are_reported(definition, is_reported):
    """Contract D-9: delegates, members and subtasks have conversations of their own."""
    assert bool(budget_issues(definition)) == is_reported


def test_the_message_has_the_numbers_and_the_next_step():
    (message,) = budget_issues(star("lead", "a", "b", limits=Limits(max_turns=90)))
    assert "90 turns in each of 3 conversations" in message
    assert "270 model calls" in message
    assert "budget is 200 calls" in message


@pytest.mark.parametrize(
    ("definition", "title"),
    [
        (star("lead", "a", "b", limits=Limits(max_turns=90)), "Allow 66 turns"),
        (star("lead", "a", "b", limits=Limits(max_calls=2)), "Allow 72 calls"),
    ],
)
def test_the_fix_makes_the_limits_fit(definition, title):
    (issue,) = [issue for issue in validate(definition) if issue.code == "budget-exceeded"]
    fix = find_fix(definition, issue)
    assert fix is not None
    assert fix.title == title
    assert budget_issues(apply_fix(definition, fix)) == []
