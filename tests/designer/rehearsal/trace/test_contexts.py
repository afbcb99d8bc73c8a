"""The context use of agents."""

import pytest

from designer.rehearsal.trace.contexts import contexts_of
from orchestration import events as e

pytestmark = pytest.mark.django_db


def test_the_context_of_each_agent_is_that_of_its_last_turn(ask, conversation):
    asked = [one for one in conversation.events() if isinstance(one, e.TurnStarted)]
    last = {one.agent_id: one.context_tokens for one in asked}
    shown = contexts_of(conversation)
    assert [one.now.used for one in shown] == list(last.values())
    assert sum(one.turns for one in shown) == len(asked)
    assert "at the mark, 80 %" in ask("contexts")
