"""Interventions: a person takes over, replies, and hands the conversation back."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration import events as e
from orchestration.control import (
    End,
    HandBack,
    Reply,
    TakeOver,
)
from orchestration.definition import Tool
from orchestration.exceptions import SteeringError
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    calling,
    collect,
    handing_over,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.steering_session import asked_of, by_ada, human_of, only, steer


async def test_a_person_takes_over_replies_and_hands_back():
    model = PlayedModel([("Hello.",), ("Thank you for waiting.",), ("As I said.",)])
    session = session_with(model)
    await say(session, "Hi")
    taken = await steer(session, by_ada(TakeOver))
    assert types(taken)[-1] == "human.joined"
    assert human_of(session) == "ada"
    silent: list[Any] = await say(session, "Is this a person?")
    assert types(silent)[-1] == "run.completed"
    assert silent[-1].reason == "waiting_for_human"
    [replied] = await steer(session, by_ada(Reply, text="It is."))
    assert (replied.type, replied.text) == ("human.replied", "It is.")
    back = await steer(session, by_ada(HandBack, target=HANDLER, summary="Refunded."))
    assert types(back)[0] == "human.left"
    assert session.state.active_agent_id == HANDLER
    assert human_of(session) is None

    gone_on = await collect(session.go_on())
    assert types(gone_on) == [
        "run.started",
        "message.routed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    seen = model.seen[1]
    assert "[human]: It is." in seen
    assert any("Refunded." in text for text in seen)
    routed = only(e.MessageRouted, await say(session, "Thanks"))
    assert routed.agent_id == HANDLER


async def test_only_one_person_can_take_over_an_escalation():
    session = session_with(PlayedModel([(handing_over("human"),)]))
    ended: list[Any] = await say(session, "A person, please.")
    assert ended[-1].reason == "waiting_for_human"
    assert types(await steer(session, by_ada(TakeOver))) == ["human.joined"]
    with pytest.raises(SteeringError, match="ada has the conversation already"):
        await steer(session, TakeOver(id="two", by="grace"))


async def test_taking_over_closes_an_open_question():
    ask = Tool(name="ask", kind="user_input", parameters={"type": "object", "properties": {}})
    model = PlayedModel([(calling("ask", call_id="q1", question="Which?"),), ("Then I see.",)])

    async def later(_: e.InputRequested) -> None:
        return None

    session = session_with(model, with_tools(ask), ask_user=later)
    await say(session, "Help!")
    assert asked_of(session)
    await steer(session, by_ada(TakeOver))
    assert not asked_of(session)
    await steer(session, by_ada(HandBack, target=TRIAGE))
    await collect(session.go_on())
    tools = [message for message in model.requests[-1].messages if message.role == "tool"]
    assert [message.tool_call_id for message in tools] == ["q1"]


async def test_after_an_end_the_next_message_waits_for_a_person():
    session = session_with(PlayedModel([("Hello.",)]))
    with pytest.raises(SteeringError, match="There is nothing to end"):
        await steer(session, by_ada(End))
    await say(session, "Hi")
    await steer(session, by_ada(TakeOver))
    [left] = await steer(session, by_ada(End))
    assert (left.type, left.by, left.ended) == ("human.left", "ada", True)
    assert human_of(session) is None
    with pytest.raises(SteeringError, match="no person has the conversation"):
        await steer(session, End(id="again", by="ada"))
    again: list[Any] = await say(session, "One more thing")
    assert again[-1].reason == "waiting_for_human"
    assert types(await steer(session, TakeOver(id="two", by="ada"))) == ["human.joined"]
