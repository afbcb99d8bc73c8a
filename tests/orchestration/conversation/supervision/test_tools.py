"""Tools of the supervisor: one for each allowed action."""

import pytest

from orchestration.conversation.supervision.tools import supervisor_tools
from orchestration.definition import SUPERVISOR_ACTIONS
from tests.orchestration.conversations import four_stages


@pytest.mark.parametrize("action", SUPERVISOR_ACTIONS)
def test_each_allowed_action_is_a_tool_of_its_name(action):
    definition = four_stages(supervision={"may": (action,)})
    assert [tool.name for tool in supervisor_tools(definition, ["agent-triage"])] == [action]


def test_without_supervision_or_targets_there_is_nothing_to_call():
    assert supervisor_tools(four_stages(), ["agent-triage"]) == ()
    assert supervisor_tools(four_stages(supervision={"may": ("redirect",)}), []) == ()
