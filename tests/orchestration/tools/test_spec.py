"""Specifications of tools for models."""

import pytest

from orchestration.definition import HUMAN
from orchestration.tools import HandoffOption, ToolSpec


@pytest.mark.parametrize(("agent_id", "target"), [("agent-a", "agent-a"), (None, HUMAN)])
def test_a_target_is_the_agent_of_the_stage_or_the_human(agent_id, target):
    assert HandoffOption("review", agent_id).target == target


def test_the_schema_of_an_option_does_not_affect_its_equality():
    assert HandoffOption("review", "agent-a", schema={"type": "object"}) == HandoffOption(
        "review", "agent-a"
    )


def test_a_tool_is_a_function_without_options_by_default():
    spec = ToolSpec("look_up", "Looks up.", {"type": "object"})
    assert (spec.kind, spec.options) == ("function", ())
