"""Stages, groups and transitions."""

import pytest
from pydantic import ValidationError

from orchestration.definition import Group, InputFilter, Stage, Transition


@pytest.mark.parametrize(
    ("stage", "agent_ids"),
    [
        (Stage(phase="s", agent_id="a"), ("a",)),
        (Stage(phase="s"), ()),
        (Stage(phase="s", kind="group", group=Group(agents=("b", "a"))), ("b", "a")),
        (Stage(phase="s", kind="group"), ()),
        (Stage(phase="s", kind="human", agent_id="a"), ()),
    ],
)
def test_the_kind_of_a_stage_selects_its_agents(stage, agent_ids):
    assert stage.agent_ids == agent_ids


def test_members_of_a_group_are_distinct_in_order_of_registration():
    group = Group(agents=("b", "a", "b"), dependencies={"b": ("a",), "a": ()})
    assert (group.agents, list(group.dependencies)) == (("b", "a"), ["a", "b"])
    with pytest.raises(ValidationError, match="at least 1"):
        Group(agents=())


@pytest.mark.parametrize("count", [0, 1_001])
def test_the_number_of_kept_messages_is_limited(count):
    with pytest.raises(ValidationError):
        InputFilter(keep="last", count=count)


def test_a_transition_is_a_next_with_the_full_history_by_default():
    transition = Transition(source="a", target="b")
    assert (transition.kind, transition.input_filter.keep) == ("next", "full")
