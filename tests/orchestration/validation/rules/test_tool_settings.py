"""Rules for approval, limits and examples of tools."""

from __future__ import annotations

from orchestration.validation import validate
from tests.orchestration.sound_pipeline import sound


def test_a_replaced_tool_without_examples_is_a_warning():
    [issue] = validate(sound(tools=[{"name": "lookup", "stand_in": True}]))
    assert (issue.code, issue.severity) == ("stand-in-without-examples", "warning")
    assert issue.where.keys == ("lookup",)


def test_an_approval_of_a_question_to_the_user_is_a_warning():
    [issue] = validate(sound(tools=[{"name": "lookup", "kind": "user_input", "approval": True}]))
    assert (issue.code, issue.severity) == ("approval-unused", "warning")
