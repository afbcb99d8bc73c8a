"""Problems in the panel: their elements, their messages, and the changes of the list."""

from dataclasses import replace

import pytest

from designer.canvas.problems import Problem, list_problems, message_parts, problem_changes
from orchestration.definition import Agent, Group, Stage
from orchestration.validation import validate
from tests.designer.editor_requests import chain


def test_an_issue_points_to_every_element_it_is_about():
    definition = chain("intake", "review").model_copy(update={"agents": ()})
    problems = list_problems(definition, validate(definition))
    unknown = next(problem for problem in problems if problem.code == "stage-agent-unknown")
    assert unknown.where in {"stage-intake", "stage-review"}
    names = [text for text, is_name in unknown.message_parts if is_name]
    assert "intake" in names


def test_an_issue_of_an_agent_marks_the_stages_it_serves():
    agent = Agent(id="agent-a", name="A", tools=("lookup",))
    definition = chain("intake").model_copy(update={"agents": (agent,)})
    stages = (definition.stages[0].model_copy(update={"agent_id": "agent-a"}),)
    definition = definition.model_copy(update={"stages": stages})
    problems = list_problems(definition, validate(definition))
    unknown = next(problem for problem in problems if problem.code == "tool-unknown")
    assert (unknown.where, unknown.others) == ("agent-item-agent-a", ("stage-intake",))
    assert (unknown.kind, unknown.key) == ("agent", "agent-a")


def test_an_issue_of_a_member_marks_the_groups_stage():
    definition = chain("intake", "review", "resolution")
    group = Group(agents=("agent-review", "agent-intake"))
    stages = (*definition.stages[:2], Stage(phase="resolution", kind="group", group=group))
    definition = definition.model_copy(update={"stages": stages})
    agent = Agent(id="agent-intake", name="Intake", tools=("lookup",))
    others = tuple(other for other in definition.agents if other.id != agent.id)
    definition = definition.model_copy(update={"agents": (*others, agent)})
    problems = list_problems(definition, validate(definition))
    unknown = next(problem for problem in problems if problem.code == "tool-unknown")
    assert set(unknown.others) == {"stage-intake", "stage-resolution"}


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("", []),
        ("No entry.", [("No entry.", False)]),
        ("'a' leads to 'b'.", [("a", True), (" leads to ", False), ("b", True), (".", False)]),
        ("The agent's tool", [("The agent's tool", False)]),
        ("Empty '' here", [("Empty '' here", False)]),
    ],
)
def test_a_message_is_split_at_quoted_names(message, parts):
    assert list(message_parts(message)) == parts


TEMPLATE = list_problems(chain(), validate(chain()))[0]


def problems(*keys: str) -> list[Problem]:
    """Return problems with these element ids."""
    return [replace(TEMPLATE, dom_id=key) for key in keys]


def test_only_the_changed_problems_are_sent():
    before, after = problems("a", "b", "c"), problems("new", "b", "c", "last")
    after[1] = replace(after[1], message="Changed")
    changes = problem_changes(before, after)
    assert changes
    assert changes.deleted == ["a"]
    assert changes.changed == [after[1]]
    assert changes.new == [("", after[0]), ("c", after[3])]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), ("a",)),
        (("a",), ()),
        (("a", "b"), ("b", "a")),
        (("a",), ("a", "b", "b")),
    ],
)
def test_the_whole_list_is_sent_if_it_is_empty_reordered_or_ambiguous(before, after):
    assert problem_changes(problems(*before), problems(*after)) is None
