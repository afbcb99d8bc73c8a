"""Events of steps: typed handoffs, filters, and session ids of a swarm."""

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
from orchestration.definition import InputFilter, Transition
from orchestration.events import (
    HandoffAccepted,
    HandoffRejected,
    RunCompleted,
    ToolReturned,
    TurnStarted,
)
from tests.orchestration.conversations import (
    calling,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import (
    chain,
    model_of,
    once,
    star,
)

FIELDS = {
    "type": "object",
    "properties": {"order": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["order"],
}


async def test_each_turn_of_a_swarm_has_its_own_session_id():
    """Contract S-7."""
    model = model_of({"a": lambda request: (calling("handoff", target="b"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert [one.session_id for one in every(TurnStarted, events)] == [
        "s1__swarm_a_0",
        "s1__swarm_b_1",
    ]
    assert only(RunCompleted, events).session_id == "s1"


def typed(**fields):
    way = Transition(source="at-a", target="at-b", input_schema=FIELDS, **fields)
    return chain("a", "b", topology="pipeline", transitions=[way])


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


async def test_a_callers_filter_replaces_the_context_of_the_target():
    """Contract S-4."""
    given = []

    def prompt_of(history, payload):
        given.append((list(history), payload))
        return f"Order {payload['order']}"

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): prompt_of})
    events = await say(session, "hi")
    assert only(HandoffAccepted, events).prompt == "Order 7"
    assert model.seen[-1][0] == "Order 7"
    assert given == [(["hi"], {"order": 7})]


async def test_a_callers_filter_that_fails_refuses_the_handoff():
    """Contract S-4."""

    def prompt_of(history, payload):
        raise LookupError("no such order")

    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(), filters={("at-a", "at-b"): prompt_of})
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert "no such order" in rejected.why
    assert session.state.active_agent_id == "a"


async def test_a_transitions_filter_that_fails_refuses_the_handoff():
    """Contract S-4."""
    asks = InputFilter(keep="matching", expression="payload.topic == 'x'")
    model = model_of({"a": once(calling("transfer_to_b", order=7))})
    session = session_with(model, typed(input_filter=asks))
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert 'Key not found in map : "topic"' in rejected.why
    assert rejected.why in model.seen[-1][-1]
    assert session.state.active_agent_id == "a"
    assert every(RunCompleted, events)[-1].reason == "replied"


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
