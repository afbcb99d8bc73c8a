"""Decision of a requested handoff: filters, limits and cycles."""

from __future__ import annotations

import pytest

from orchestration.definition import InputFilter, Limits
from orchestration.events import (
    CycleDetected,
    HandoffAccepted,
    HandoffRejected,
    LimitReached,
    RunCompleted,
    StopReason,
)
from orchestration.providers.provider import CallPiece
from tests.orchestration.conversation.typed_handoff import typed
from tests.orchestration.conversations import (
    HANDLER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
)
from tests.orchestration.topologies import Play, model_of, once, star


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


@pytest.mark.parametrize("limit", [0, 1, 3])
async def test_a_limit_of_n_handoffs_lets_exactly_n_complete(limit):
    """Contract D-1: the next request is refused, and the run ends."""
    there = {TRIAGE: HANDLER, HANDLER: REVIEWER, REVIEWER: HANDLER}
    model = PlayedModel(lambda request: (handing_over(there[request.agent.id]),))
    session = session_with(model, four_stages(limits=Limits(max_handoffs=limit)))
    events = await say(session, "hi")
    assert len(every(HandoffAccepted, events)) == limit
    assert only(HandoffRejected, events).code == "limit"
    assert types(events)[-2:] == ["limit.reached", "run.completed"]
    reached = only(LimitReached, events)
    assert (reached.resource, reached.used, reached.limit) == ("handoffs", limit, limit)
    assert only(RunCompleted, events).reason == StopReason.HANDOFF_LIMIT


async def test_the_limit_of_handoffs_applies_to_each_run():
    model = PlayedModel([(handing_over(HANDLER),), ("A",), (handing_over(REVIEWER),), ("B",)])
    session = session_with(model, four_stages(limits=Limits(max_handoffs=1)))
    await say(session, "one")
    events = await say(session, "two")
    assert only(RunCompleted, events).reason == StopReason.REPLIED
    assert session.state.active_agent_id == REVIEWER


def always(*turn: CallPiece) -> Play:
    return lambda request: turn


def peer(target: str):
    return calling("handoff", target=target, message="look")


async def test_requests_count_as_handoffs_if_so_configured():
    """Contract D-1."""
    model = model_of({"a": lambda request: (peer("b"),), "b": lambda request: (peer("c"),)})
    limits = Limits(max_handoffs=2, count_handoffs="requested")
    definition = star("a", "b", "c", topology="swarm", limits=limits)
    events = await say(session_with(model, definition), "hi")
    assert len(every(HandoffAccepted, events)) == 1
    assert only(RunCompleted, events).reason == "handoff_limit"


async def test_a_cycle_of_handoffs_ends_a_swarm():
    """Contract S-5: two of them."""
    model = model_of({"a": lambda request: (peer("b"),), "b": lambda request: (peer("a"),)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b")
    assert only(HandoffRejected, events).code == "cycle"
    assert only(RunCompleted, events).reason == "cycle"


async def test_a_longer_cycle_ends_a_swarm():
    """Contract S-5: A→B→C→A→B→C."""
    after = {"a": "b", "b": "c", "c": "a"}
    model = model_of({one: always(peer(to)) for one, to in after.items()})
    events = await say(session_with(model, star("a", "b", "c", topology="swarm")), "hi")
    assert only(CycleDetected, events).loop == ("a", "b", "c")
    assert [one.to_agent for one in every(HandoffAccepted, events)] == ["b", "c", "a", "b"]
