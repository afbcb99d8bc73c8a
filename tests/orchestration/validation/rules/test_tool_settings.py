"""Rules for approval, limits and examples of tools."""

from __future__ import annotations

import pytest

from orchestration.validation import validate
from tests.orchestration.sound_pipeline import codes, sound, team


def test_a_replaced_tool_without_examples_is_a_warning():
    [issue] = validate(sound(tools=[{"name": "lookup", "stand_in": True}]))
    assert (issue.code, issue.severity) == ("stand-in-without-examples", "warning")
    assert issue.where.keys == ("lookup",)


def test_an_approval_of_a_question_to_the_user_is_a_warning():
    [issue] = validate(sound(tools=[{"name": "lookup", "kind": "user_input", "approval": True}]))
    assert (issue.code, issue.severity) == ("approval-unused", "warning")


@pytest.mark.parametrize(
    ("asker", "expected"), [("triage", []), ("handler", ["question-in-subtask"])]
)
def test_a_worker_of_a_team_cannot_ask_the_user(asker, expected):
    definition = team()
    tools = sound(tools=[{"name": "ask", "kind": "user_input"}]).tools
    agents = [
        agent.model_copy(update={"tools": ("ask",) if agent.id == asker else ()})
        for agent in definition.agents
    ]
    assert (
        codes(definition.model_copy(update={"tools": tools, "agents": tuple(agents)})) == expected
    )


def test_a_member_of_a_group_cannot_ask_the_user():
    group = {"phase": "review", "kind": "group", "group": {"agents": ["reviewer", "handler"]}}
    asking = {"name": "ask", "kind": "user_input"}
    definition = sound(tools=[asking])
    stages = [*(each for each in definition.stages if each.phase != "review"), group]
    agents = [
        agent.model_copy(update={"tools": ("ask",) if agent.id == "handler" else ()})
        for agent in definition.agents
    ]
    found = sound(tools=[asking], stages=stages, agents=agents)
    issue = next(each for each in validate(found) if each.code == "question-in-subtask")
    assert "in 'review' it answers" in issue.message
    replaced = sound(
        tools=[asking | {"stand_in": True, "examples": [{"result": "Yes."}]}],
        stages=stages,
        agents=agents,
    )
    assert "question-in-subtask" not in codes(replaced)
