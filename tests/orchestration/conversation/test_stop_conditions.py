"""Stop conditions of stages, and the loop that follows them."""

import pytest

from orchestration.conversation import stops
from orchestration.definition import Group
from orchestration.events import MessageCompleted, RunCompleted, StopReason
from tests.orchestration.conversations import every, say, session_with
from tests.orchestration.topologies import chain, model_of, with_group


@pytest.mark.parametrize(
    ("topology", "stopping"),
    [("workflow", False), ("pipeline", True), ("swarm", True), ("team", True)],
)
async def test_the_loop_continues_only_if_the_condition_is_false(topology, stopping):
    """Contract H-6: every definition has a next stage."""
    definition = chain("a", "b", topology=topology)
    assert stops(definition, "at-a") is stopping
    assert topology == "team" or stops(definition, "at-b")
    events = await say(session_with(model_of({}), definition), "hi")
    answered = [one.agent_id for one in every(MessageCompleted, events)]
    assert answered == (["a"] if stopping else ["a", "b"])
    assert isinstance(events[-1], RunCompleted)
    assert events[-1].reason == StopReason.REPLIED


@pytest.mark.parametrize("topology", ["workflow", "pipeline", "swarm"])
async def test_the_next_stage_follows_a_group_without_a_handoff(topology):
    """Contract H-6, H-9."""
    definition = with_group(Group(agents=("a",)), entry="panel", topology=topology)
    assert [stops(definition, phase) for phase in ("panel", "verdict")] == [False, True]
    events = await say(session_with(model_of({}), definition), "hi")
    assert [one.agent_id for one in every(MessageCompleted, events)] == ["a", "last"]
