"""Calls that a person approves, changes or refuses before they are made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration import events as e
from orchestration.definition import Group, PipelineDefinition, Stage, Tool
from orchestration.exceptions import SteeringError
from orchestration.messages import InboundMessage, SubtaskRequest
from orchestration.session import Session
from orchestration.steering import (
    ApproveCall,
    BreakPoints,
    ChangeCall,
    GoOn,
    HandOver,
    Pause,
    RefuseCall,
    decode_command,
    encode_command,
)
from orchestration.tools.function import CallContext
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.stepping import as_told, by_ada, steer

AMOUNT = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "maximum": 100}},
    "required": ["amount"],
}
PAY = Tool(name="pay", approval=True, parameters=AMOUNT)
LOOK = Tool(name="look")


class Desk:
    """A session whose agent may look and pay; what was done is written down."""

    def __init__(
        self,
        turns: Sequence[Turn],
        events: Sequence[e.Event] = (),
        definition: PipelineDefinition | None = None,
        **options: Any,
    ) -> None:
        self.done: list[str] = []
        self.model = PlayedModel(turns)
        self.session: Session = session_with(
            self.model,
            definition or with_tools(PAY, LOOK),
            events=events,
            tools={"pay": self._pay, "look": self._look},
            **options,
        )

    async def decide(self, command: Any) -> list[e.Event]:
        """What follows from a decision, up to where the run ends or stands still again."""
        return [*await steer(self.session, command), *await collect(self.session.resume())]

    def asked(self) -> int:
        return self.session.approvals[0].seq

    def _pay(self, amount: int) -> str:
        self.done.append(f"paid {amount}")
        return f"{amount} are paid."

    def _look(self) -> str:
        self.done.append("looked")
        return "There it is."


ONE = [calling("pay", call_id="c1", amount=7)]


async def test_a_call_that_asks_first_waits_for_a_person_and_is_made_when_it_is_approved():
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


async def test_a_person_changes_the_arguments_and_the_agent_is_told():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    rest = await desk.decide(by_ada(ChangeCall, asked=desk.asked(), arguments='{"amount": 5}'))
    decision = only(e.ApprovalGiven, rest)
    assert (decision.decision, decision.arguments) == ("changed", '{"amount":5}')
    assert only(e.ToolCalled, rest).call.arguments == '{"amount":5}'
    assert desk.done == ["paid 5"]
    told = desk.model.seen[-1][-1]
    assert told == '(A person changed the arguments to {"amount":5})\n5 are paid.'


async def test_arguments_that_were_left_as_they_are_count_as_approved():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    rest = await desk.decide(by_ada(ChangeCall, asked=desk.asked(), arguments='{ "amount":7 }'))
    decision = only(e.ApprovalGiven, rest)
    assert (decision.decision, decision.arguments) == ("approved", None)


async def test_a_refused_call_is_never_made_and_the_agent_is_told_why():
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


async def test_only_the_calls_that_ask_wait_and_the_results_of_the_others_are_kept():
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


async def test_one_of_two_that_is_refused_leaves_the_run_standing_for_the_other():
    desk = Desk([[*ONE, calling("pay", call_id="c2", amount=9)], ["Done."]])
    await say(desk.session, "Pay!")
    only_this = await desk.decide(by_ada(RefuseCall, asked=desk.asked()))
    assert types(only_this) == ["approval.given"]
    assert desk.session.paused is not None
    assert types(await desk.decide(by_ada(ApproveCall, asked=desk.asked())))[-1] == "run.completed"


async def test_a_decision_while_other_calls_are_under_way_is_taken_in_between_two_steps():
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


async def test_a_question_to_the_user_and_a_handoff_of_the_same_turn_wait_too():
    desk = Desk([[handing_over(HANDLER), *ONE], ["I have it."]])
    told = await say(desk.session, "Pay!")
    assert "handoff.requested" not in types(told)
    rest = await desk.decide(by_ada(ApproveCall, asked=desk.asked()))
    assert types(rest)[4:6] == ["handoff.requested", "handoff.accepted"]


async def test_a_call_that_cannot_be_read_or_is_not_offered_bothers_nobody():
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
        ('{\n"order": 5', r"are not JSON: .* \(line 2, column 11\)"),
    ],
)
async def test_changed_arguments_that_the_schema_forbids_are_refused_in_a_sentence(
    arguments, sentence
):
    desk = Desk([ONE])
    told = await say(desk.session, "Pay!")
    with pytest.raises(SteeringError, match=sentence):
        await steer(desk.session, by_ada(ChangeCall, asked=desk.asked(), arguments=arguments))
    assert desk.session.seq == len(told)
    assert desk.session.approvals


async def test_what_does_not_wait_any_more_cannot_be_decided():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    asked = desk.asked()
    with pytest.raises(SteeringError, match="does not wait"):
        await steer(desk.session, by_ada(ApproveCall, asked=asked + 1))
    await desk.decide(by_ada(ApproveCall, asked=asked))
    with pytest.raises(SteeringError, match="does not wait"):
        await steer(desk.session, by_ada(RefuseCall, asked=asked))
    with pytest.raises(SteeringError, match="does not wait"):
        desk.session.queue(by_ada(RefuseCall, asked=asked))


async def test_a_run_that_waits_for_approval_does_not_just_go_on():
    desk = Desk([ONE])
    await say(desk.session, "Pay!")
    assert await collect(desk.session.resume()) == []
    with pytest.raises(SteeringError, match="approve it, change it or refuse it"):
        await steer(desk.session, by_ada(GoOn))
    with pytest.raises(SteeringError, match="No answer is under way"):
        await steer(desk.session, by_ada(Pause))


async def test_a_run_that_waits_for_approval_can_be_ended_and_its_call_gets_a_result():
    desk = Desk([ONE, ["Hello."]])
    await say(desk.session, "Pay!")
    desk.session.end_run(e.StopReason.CANCELLED)
    assert desk.session.approvals == ()
    assert types(await say(desk.session, "Again"))[-1] == "run.completed"
    assert desk.model.seen[-1][-2] == "Error: the run ended before this call was done."


async def test_a_person_hands_over_while_a_call_waits_and_it_is_decided_afterwards():
    desk = Desk([ONE, ["I have it."]])
    await say(desk.session, "Pay!")
    asked = desk.asked()
    await steer(desk.session, by_ada(HandOver, target=HANDLER))
    assert await collect(desk.session.resume()) == []
    rest = await desk.decide(by_ada(ApproveCall, asked=asked))
    assert only(e.TurnStarted, rest).agent_id == HANDLER
    assert desk.done == ["paid 7"]


async def test_a_break_point_holds_the_run_after_the_decision_too():
    desk = Desk([ONE, ["Done."]])
    await say(desk.session, "Pay!")
    desk.session.break_points = BreakPoints(stages=frozenset({"intake"}))
    rest = await desk.decide(by_ada(ApproveCall, asked=desk.asked()))
    assert [event.why for event in every(e.RunPaused, rest)] == ["break_point"]
    assert desk.done == ["paid 7"]


# Within subtasks


def grouped() -> PipelineDefinition:
    """Triage and the handler answer together; each may look, and pay."""
    definition = four_stages(tools=[PAY, LOOK])
    agents = [agent.model_copy(update={"tools": ("pay", "look")}) for agent in definition.agents]
    stage = Stage(phase="intake", kind="group", group=Group(agents=(TRIAGE, HANDLER)))
    stages = (stage, *(one for one in definition.stages if one.phase == "review"))
    return definition.model_copy(
        update={"agents": tuple(agents), "stages": stages, "transitions": ()}
    )


def member_turn(request: Any) -> Turn:
    """Triage pays once, the handler answers at once."""
    paid = any(message.role == "tool" for message in request.messages)
    if request.agent.id == TRIAGE and not paid:
        return ONE
    return [f"{request.agent.name} is done."]


async def test_a_call_within_a_group_waits_while_the_other_members_finish():
    done: list[int] = []

    def pay(amount: int) -> str:
        done.append(amount)
        return "Paid."

    session = session_with(PlayedModel(member_turn), grouped(), tools={"pay": pay})
    told = await say(session, "Pay!")
    assert types(told)[-1] == "run.paused"
    [finished] = every(e.SubtaskCompleted, told)
    assert (finished.title, done) == (HANDLER, [])
    [asked] = session.approvals
    assert asked.session_id != session.session_id

    for again in (session, session_with(PlayedModel(member_turn), grouped(), events=as_told(told))):
        events = await steer(again, by_ada(ApproveCall, asked=asked.seq))
        rest = [*events, *await collect(again.resume())]
        assert types(rest)[:3] == ["approval.given", "run.resumed", "tool.called"]
        assert types(rest)[-2:] == ["subtask.completed", "run.completed"]


async def test_a_subtask_that_asks_first_begins_when_it_is_approved():
    sub = four_stages(name="Research")
    tool = Tool(name="research", kind="subtask", approval=True, pipeline="Research")

    def find(request: SubtaskRequest) -> PipelineDefinition:
        return sub

    model = PlayedModel([[calling("research", call_id="c1", task="Dig.")], ["Dug."], ["Done."]])
    session = session_with(model, with_tools(tool), pipelines=find)
    told = await say(session, "Go")
    assert "subtask.started" not in types(told)
    [asked] = session.approvals
    await steer(session, by_ada(ChangeCall, asked=asked.seq, arguments='{"task": "Dig deep."}'))
    rest = await collect(session.resume())
    assert only(e.SubtaskStarted, rest).input == "Dig deep."
    assert types(rest)[-1] == "run.completed"


# Kept and gone on with


@pytest.mark.parametrize(
    "command",
    [
        by_ada(ApproveCall, asked=3),
        by_ada(ChangeCall, asked=3, arguments="{}"),
        by_ada(RefuseCall, asked=3, reason="No."),
    ],
)
def test_a_decision_can_be_kept_as_json(command):
    assert decode_command(encode_command(command)) == command


calls = st.builds(calling, st.sampled_from(["look", "pay", "pay"]), amount=st.integers(1, 9))
turns: st.SearchStrategy[Turn] = st.one_of(
    st.just(["Hello."]),
    st.lists(st.one_of(calls, st.just(handing_over(HANDLER))), min_size=1, max_size=4),
)
decisions = st.sampled_from(["approve", "change", "refuse"])


class Decided:
    """A desk over what was recorded; what is asked is decided by plan, in the order of asking."""

    def __init__(
        self, plan: Sequence[Turn], said: Sequence[str], before: Sequence[e.Event]
    ) -> None:
        self.said = said
        left = plan[len(every(e.MessageCompleted, before)) :]
        self.paid: list[str] = []
        definition = four_stages(
            tools=[PAY, LOOK],
            agents=[
                agent.model_copy(update={"tools": ("look", "pay")})
                for agent in four_stages().agents
            ],
        )
        self.session = session_with(
            PlayedModel(left),
            definition,
            events=before,
            tools={"pay": self._pay, "look": lambda amount: "seen"},
            clock=lambda: NOON,
        )

    async def play(self) -> list[e.Event]:
        """To the end of the run, from wherever it is."""
        if self.session.seq == 0:
            told = await say(self.session, "Pay!")
        else:
            told = await collect(self.session.resume())
        while self.session.approvals:
            assert self.session.paused is not None
            asked = self.session.approvals[-1]
            told += await steer(self.session, self._decision(asked.seq))
            told += await collect(self.session.resume())
        assert not self.session.unfinished
        return told

    def _decision(self, asked: int) -> Any:
        fields: dict[str, Any] = {"id": f"decision-{asked}", "by": "ada", "asked": asked}
        match self.said[asked % len(self.said)]:
            case "approve":
                return ApproveCall(**fields)
            case "change":
                return ChangeCall(**fields, arguments='{"amount":10}')
            case _:
                return RefuseCall(**fields, reason="No.")

    def _pay(self, amount: int, context: CallContext) -> str:
        self.paid.append(context.key)
        return f"{amount} are paid."


@settings(max_examples=100, deadline=None)
@given(st.lists(turns, max_size=4), st.lists(decisions, min_size=1, max_size=5))
async def test_every_prefix_of_a_run_with_decisions_has_the_same_rest(
    plan: list[Turn], said: list[str]
) -> None:
    """What was decided stays decided, and what was paid is not paid again."""
    whole = Decided(plan, said, [])
    told = as_told(await whole.play())
    for cut in range(1, len(told)):
        again = Decided(plan, said, told[:cut])
        rest = await again.play()
        assert list(map(_timeless, as_told(rest))) == list(map(_timeless, told[cut:]))
        assert again.session.history == whole.session.history
        assert again.paid == [key for key in whole.paid if key not in _returned(told[:cut])]


def _timeless(event: e.Event) -> e.Event:
    body = e.dump(event)
    for part in (body.get("result"), body.get("usage")):
        if part:
            part["milliseconds"] = 0
    return e.load(body)


def _returned(events: Sequence[e.Event]) -> set[str]:
    """The keys of the calls that have come back."""
    keys, turn = set(), 0
    for event in events:
        if isinstance(event, e.TurnStarted):
            turn = event.turn
        elif isinstance(event, e.ToolReturned):
            keys.add(f"s1/run/{turn}/{event.result.call_id}")
    return keys
