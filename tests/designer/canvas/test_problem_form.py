"""Tokens of issues, and the form of the button that fixes a problem."""

import pytest

from designer.canvas.problem_form import FixForm, issue_token
from orchestration.definition import Agent
from orchestration.validation import validate
from tests.designer.editor_requests import chain

UNKNOWN_TOOL = Agent(id="agent-a", name="A", tools=("lookup",))


def tokens(*agents: Agent) -> dict[str, str]:
    """Return the tokens of the issues of a pipeline with these agents, by code."""
    definition = chain("intake").model_copy(update={"agents": agents})
    return {issue.code: issue_token(issue) for issue in validate(definition)}


def test_a_token_stays_when_a_part_before_its_location_is_added():
    alone = tokens(UNKNOWN_TOOL)["tool-unknown"]
    assert tokens(Agent(id="agent-0", name="First"), UNKNOWN_TOOL)["tool-unknown"] == alone
    assert alone.startswith("tool-unknown|")


def test_issues_of_different_parts_have_different_tokens():
    definition = chain("a", "b").model_copy(update={"agents": ()})
    issues = validate(definition)
    assert len({issue_token(issue) for issue in issues}) == len(issues) > 1


def test_a_token_is_short_for_an_issue_of_many_stages():
    definition = chain(*(f"stage-{n}" for n in range(60)), entry="stage-59")
    issues = validate(definition)
    assert issues
    assert max(len(issue_token(issue)) for issue in issues) < 60


@pytest.mark.parametrize("token", ["", "x" * 1_001])
def test_the_form_refuses_a_missing_or_long_token(token):
    form = FixForm({"issue": token})
    assert not form.is_valid()
    assert "issue" in form.errors


def test_a_form_without_a_token_names_the_next_step():
    form = FixForm({})
    assert form.errors["issue"] == ["The problem is missing. Choose the problem to fix."]
