"""Calls that a person approves, changes or refuses."""

from __future__ import annotations

import json
from functools import partial

import pytest

from orchestration import AgentHandler
from orchestration import events as e
from orchestration.control import (
    ApproveCall,
    BreakPoints,
    ChangeCall,
    GoOn,
    HandOver,
    Pause,
    RefuseCall,
)
from orchestration.definition import Cue, CueCall, Tool, ToolExample
from orchestration.exceptions import HandlerError, SteeringError
from orchestration.library import AgentSpec
from orchestration.messages import InboundMessage
from tests.orchestration.approval_session import LOOK, ONE, PAY, Desk
from tests.orchestration.conversations import (
    HANDLER,
    calling,
    collect,
    every,
    handing_over,
    only,
    say,
    types,
    with_tools,
)
from tests.orchestration.steering_session import by_ada, steer


async def test_a_call_that_needs_approval_runs_after_the_approval():
    desk = Desk([ONE, ["Done."]])
    told = await say(desk.session, "Pay!")
    assert types(told)[-3:] == ["message.completed", "approval.requested", "run.paused"]
    asked, paused = only(e.ApprovalRequested, told), only(e.RunPaused, told)
    assert (asked.call.name, json.loads(asked.call.arguments)) == ("pay", {"amount": 7})
    assert (paused.why, paused.ahead, paused.target) == ("approval", "call", "pay")
    assert paused.waits_for == (asked.seq,)
    assert (desk.done, desk.session.approvals) == ([], (asked,))

    rest = await desk.decide(by_ada(ApproveCall, asked=asked.seq))
    assert types(rest) == [
        "approval.given",
        "run.resumed",
        "tool.called",
        "tool.returned",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    given_by = only(e.ApprovalGiven, rest)
    assert (given_by.decision, given_by.by, given_by.command_id) == (
        "approved",
        "ada",
        "ApproveCall-1",
    )
    assert desk.done == ["paid 7"]
    assert desk.model.seen[-1][-1] == "7 are paid."


async def test_the_agent_receives_the_arguments_that_a_person_changed():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    rest = await desk.decide(by_ada(ChangeCall, asked=desk.asked(), arguments='{"amount": 5}'))
    decision = only(e.ApprovalGiven, rest)
    assert (decision.decision, decision.arguments) == ("changed", '{"amount":5}')
    assert only(e.ToolCalled, rest).call.arguments == '{"amount":5}'
    assert desk.done == ["paid 5"]
    told = desk.model.seen[-1][-1]
    assert told == '(A person changed the arguments to {"amount":5})\n5 are paid.'


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (ApproveCall, "(A person approved this call: Paid in advance.)\n7 are paid."),
        (
            partial(ChangeCall, arguments='{"amount": 5}'),
            (
                '(A person changed the arguments to {"amount":5})\n'
                "(A person approved this call: Paid in advance.)\n5 are paid."
            ),
        ),
    ],
)
async def test_the_agent_receives_the_reason_of_an_approval(command, told):
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    fields = {"asked": desk.asked(), "reason": "Paid in advance."}
    rest = await desk.decide(command(id="c", by="ada", **fields))
    assert only(e.ApprovalGiven, rest).reason == "Paid in advance."
    assert desk.model.seen[-1][-1] == told


async def test_unchanged_arguments_count_as_approved():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    rest = await desk.decide(by_ada(ChangeCall, asked=desk.asked(), arguments='{ "amount":7 }'))
    decision = only(e.ApprovalGiven, rest)
    assert (decision.decision, decision.arguments) == ("approved", None)


async def test_a_refused_call_never_runs_and_the_agent_gets_the_reason():
    desk = Desk([ONE, ["I am sorry."]])
    await say(desk.session, "Pay!")
    rest = await desk.decide(by_ada(RefuseCall, asked=desk.asked(), reason="Too much."))
    assert types(rest) == [
        "approval.given",
        "run.resumed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert desk.done == []
    assert desk.model.seen[-1][-1] == "Error: A person refused this call: Too much."


async def test_calls_without_approval_run_while_others_wait():
    both = [*ONE, calling("look", call_id="c2"), calling("pay", call_id="c3", amount=9)]
    desk = Desk([both, ["Done."]])
    told = await say(desk.session, "Pay!")
    assert types(told)[-5:] == [
        "approval.requested",
        "approval.requested",
        "tool.called",
        "tool.returned",
        "run.paused",
    ]
    assert desk.done == ["looked"]
    first, second = desk.session.approvals
    part = await desk.decide(by_ada(ApproveCall, asked=second.seq))
    assert types(part) == [
        "approval.given",
        "run.resumed",
        "tool.called",
        "tool.returned",
        "run.paused",
    ]
    await desk.decide(by_ada(RefuseCall, asked=first.seq))
    assert desk.done == ["looked", "paid 9"]
    assert desk.model.seen[-1][-3:] == [
        "Error: A person refused this call.",
        "There it is.",
        "9 are paid.",
    ]


async def test_a_run_stays_paused_for_the_second_of_two_approvals():
    desk = Desk([[*ONE, calling("pay", call_id="c2", amount=9)], ["Done."]])
    await say(desk.session, "Pay!")
    only_this = await desk.decide(by_ada(RefuseCall, asked=desk.asked()))
    assert types(only_this) == ["approval.given"]
    assert desk.session.paused is not None
    assert types(await desk.decide(by_ada(ApproveCall, asked=desk.asked())))[-1] == "run.completed"


async def test_a_decision_during_other_calls_applies_between_two_steps():
    desk = Desk([[*ONE, calling("look", call_id="c2")], ["Done."]])
    told: list[e.Event] = []
    async for event in desk.session.receive(InboundMessage(id="1", text="Pay!")):
        if isinstance(event, e.ToolReturned) and event.result.name == "look":
            desk.session.queue(by_ada(ApproveCall, asked=desk.asked()))
        if not isinstance(event, e.MessageDelta):
            told.append(event)
    assert "run.paused" not in types(told)
    assert types(told)[-1] == "run.completed"
    assert desk.done == ["looked", "paid 7"]


async def test_a_question_and_a_handoff_of_the_same_turn_wait_for_an_approval():
    desk = Desk([[handing_over(HANDLER), *ONE], ["I have it."]])
    told = await say(desk.session, "Pay!")
    assert "handoff.requested" not in types(told)
    rest = await desk.decide(by_ada(ApproveCall, asked=desk.asked()))
    assert types(rest)[4:6] == ["handoff.requested", "handoff.accepted"]


async def test_an_invalid_or_unavailable_call_needs_no_approval():
    broken = calling("pay", call_id="c1")
    broken = type(broken)(type(broken.call)(id="c1", name="pay", arguments='{"amount"'))
    desk = Desk([[broken], ["Well."]])
    told = await say(desk.session, "Pay!")
    assert "approval.requested" not in types(told)
    assert "are not JSON" in str(only(e.ToolReturned, told).result.error)

    others = with_tools(LOOK).model_copy(update={"tools": (LOOK, PAY)})
    stranger = Desk([ONE, ["Well."]], definition=others)
    told = await say(stranger.session, "Pay!")
    assert "There is no tool 'pay'" in str(only(e.ToolReturned, told).result.error)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ('{"amount": "much"}', "amount: it is not of type"),
        ('{"amount": 101}', "amount"),
        ("{}", "amount"),
        ("[7]", "must be a JSON object"),
        ("{seven", "are not JSON"),
        ('{"amount": 5, "amount": 6}', r"\$\.amount: The key 'amount' appears more than once"),
        ('{\n"order": 5', r"are not JSON: .* \(line 2, column 11\)"),
    ],
)
async def test_changed_arguments_must_match_the_schema(arguments, sentence):
    desk = Desk([ONE])
    told = await say(desk.session, "Pay!")
    with pytest.raises(SteeringError, match=sentence):
        await steer(desk.session, by_ada(ChangeCall, asked=desk.asked(), arguments=arguments))
    assert desk.session.seq == len(told)
    assert desk.session.approvals


async def test_a_call_that_no_longer_waits_cannot_be_decided():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    asked = desk.asked()
    with pytest.raises(SteeringError, match="no longer waits"):
        await steer(desk.session, by_ada(ApproveCall, asked=asked + 1))
    await desk.decide(by_ada(ApproveCall, asked=asked))
    with pytest.raises(SteeringError, match="no longer waits"):
        await steer(desk.session, by_ada(RefuseCall, asked=asked))
    with pytest.raises(SteeringError, match="no longer waits"):
        desk.session.queue(by_ada(RefuseCall, asked=asked))


async def test_a_run_that_waits_for_approval_cannot_be_resumed():
    desk = Desk([ONE])
    await say(desk.session, "Pay!")
    assert await collect(desk.session.resume()) == []
    with pytest.raises(SteeringError, match="approve it, change it or refuse it"):
        await steer(desk.session, by_ada(GoOn))
    with pytest.raises(SteeringError, match="There is no run to pause"):
        await steer(desk.session, by_ada(Pause))


async def test_ending_a_run_that_waits_for_approval_closes_its_call():
    desk = Desk([ONE, ["Hello."]])
    await say(desk.session, "Pay!")
    desk.session.end_run(e.StopReason.CANCELLED)
    assert desk.session.approvals == ()
    assert types(await say(desk.session, "Again"))[-1] == "run.completed"
    assert desk.model.seen[-1][-2] == "Error: the run ended before this call was done."


async def test_a_call_can_be_decided_after_a_handoff_by_a_person():
    desk = Desk([ONE, ["I have it."]])
    await say(desk.session, "Pay!")
    asked = desk.asked()
    await steer(desk.session, by_ada(HandOver, target=HANDLER))
    assert await collect(desk.session.resume()) == []
    rest = await desk.decide(by_ada(ApproveCall, asked=asked))
    assert only(e.TurnStarted, rest).agent_id == HANDLER
    assert desk.done == ["paid 7"]


async def test_a_break_point_pauses_the_run_after_a_decision():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    desk.session.break_points = BreakPoints(stages=frozenset({"intake"}))
    rest = await desk.decide(by_ada(ApproveCall, asked=desk.asked()))
    assert [event.why for event in every(e.RunPaused, rest)] == ["break_point"]
    assert desk.done == ["paid 7"]


# In code


@pytest.mark.parametrize("approve", [True, False])
async def test_approvals_of_agents_in_code_are_decided_by_a_callable(approve):
    sign = Tool(name="sign", approval=True, examples=(ToolExample(result="signed"),))
    cue = Cue(call=CueCall(tool="sign"), say="It is {result}.")
    handler = AgentHandler(agents={"a": AgentSpec(tools=[sign], cues=[cue])}, mode="workflow")

    async def decide(asked):
        return approve

    [result] = [one async for one in handler.handle("Sign it!", approve=decide)]
    assert (result.output == "It is signed.") is approve
    with pytest.raises(HandlerError, match="A call of sign requires approval: pass"):
        [one async for one in handler.handle("Sign it!")]
