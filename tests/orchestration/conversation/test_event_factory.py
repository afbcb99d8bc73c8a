"""Events of steps: typed handoffs, and session ids of a swarm."""

from __future__ import annotations

from typing import get_args

from orchestration.conversation import (
    AskUser,
    AwaitApproval,
    CallModel,
    CallTools,
    EventFactory,
    IssueCommand,
    Spawn,
    Step,
)
from orchestration.definition import InputFilter
from orchestration.events import (
    HandoffAccepted,
    RunCompleted,
    ToolReturned,
    TurnStarted,
)
from tests.orchestration.conversation.typed_handoff import FIELDS, typed
from tests.orchestration.conversations import (
    calling,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import (
    model_of,
    once,
    star,
)


async def test_each_turn_of_a_swarm_has_its_own_session_id():
    """Contract S-7."""
    model = model_of({"a": lambda request: (calling("handoff", target="b"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert [one.session_id for one in every(TurnStarted, events)] == [
        "s1__swarm_a_0",
        "s1__swarm_b_1",
    ]
    assert only(RunCompleted, events).session_id == "s1"


async def test_a_typed_handoff_has_its_own_tool_and_payload():
    """Contract S-3 and S-8."""
    model = model_of({"a": once(calling("transfer_to_b", order=7, reason="refund"))})
    events = await say(session_with(model, typed()), "hi")
    offered = model.requests[0].tools
    assert [(tool.name, tool.parameters) for tool in offered if tool.options[0].schema] == [
        ("transfer_to_b", FIELDS)
    ]
    accepted = only(HandoffAccepted, events)
    assert (accepted.payload, accepted.reason) == ({"order": 7, "reason": "refund"}, "refund")
    assert "[Context from previous agent (a)]" in model.seen[-1][0]


async def test_a_wrong_payload_is_an_error_the_model_can_correct():
    """Contract S-3."""
    turns = iter([(calling("transfer_to_b", order="x"),), (calling("transfer_to_b", order=1),)])
    model = model_of({"a": lambda request: next(turns)})
    events = await say(session_with(model, typed()), "hi")
    error = only(ToolReturned, events).result.error or ""
    assert "order" in error
    assert "transfer_to_b" in error
    assert only(HandoffAccepted, events).payload == {"order": 1}


async def test_the_transitions_filter_keeps_the_users_question():
    """Contract S-6: only the question and the note of the handoff."""
    plays = {"a": once("Let me see.", calling("transfer_to_b", order=7))}
    kept = InputFilter(keep="summary")
    model = model_of(plays)
    await say(session_with(model, typed(input_filter=kept)), "hi")
    assert model.seen[-1][1] == "hi"
    assert not any("Let me see" in text for text in model.seen[-1])


def test_each_step_creates_an_event_or_waits():
    waiting = {CallModel, CallTools, Spawn, AskUser, IssueCommand, AwaitApproval}
    assert set(EventFactory.step_events).isdisjoint(waiting)
    assert {*EventFactory.step_events, *waiting} == set(get_args(Step))


async def test_one_turn_of_a_swarm_has_one_session_id():
    """Contract S-7: also for a call after its handoff."""
    twice = (calling("handoff", target="b"), calling("handoff", target="b"))
    model = model_of({"a": lambda request: twice})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(ToolReturned, events).session_id == "s1__swarm_a_0"
