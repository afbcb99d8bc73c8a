"""One conversation from message to end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.events import (
    MessageCompleted,
    MessageDelta,
    MessageRouted,
    PhaseChanged,
    RunCompleted,
    RunFailed,
    StopReason,
)
from orchestration.exceptions import ProviderError, SessionError
from orchestration.messages import InboundMessage
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    HANDLER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    calling,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
    with_tools,
)


async def test_a_reply_is_a_run_of_one_turn():
    """Contract T-2, D-2: every event of a plain reply, in order, and why the run ended."""
    session = session_with(PlayedModel([("Hel", "lo.")]))
    events = await say(session, "hi")
    assert types(events) == [
        "run.started",
        "message.received",
        "message.routed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert only(RunCompleted, events).reason == StopReason.REPLIED
    assert [(one.role, one.text, one.agent_id) for one in session.history] == [
        ("user", "hi", None),
        ("assistant", "Hello.", TRIAGE),
    ]


async def test_deltas_carry_their_offset_and_the_number_of_the_last_recorded_event():
    session = session_with(PlayedModel([("Hel", "lo.")]))
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        deltas = [event async for event in events if isinstance(event, MessageDelta)]
    assert [(delta.seq, delta.offset, delta.text) for delta in deltas] == [
        (4, 0, "Hel"),
        (4, 3, "lo."),
    ]


async def test_usage_adds_up_over_the_turns_of_a_run():
    """Contract D-6."""
    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    usage = only(RunCompleted, await say(session_with(model), "hi")).usage
    assert (usage.input_tokens, usage.output_tokens, usage.calls) == (20, 10, 2)


async def test_a_model_that_fails_ends_the_run_and_the_conversation_goes_on():
    """Contract T-11, D-2: an error is an error, never an answer."""
    calls = iter([OSError("the line is dead"), None])

    def turn(request):
        if error := next(calls):
            raise error
        return ("Back again.",)

    session = session_with(PlayedModel(turn))
    failed = only(RunFailed, await say(session, "hi"))
    assert (failed.error, failed.message) == ("OSError", "the line is dead")
    assert not session.unfinished
    assert only(MessageCompleted, await say(session, "hello?")).text == "Back again."


async def test_a_model_that_says_nothing_fails_the_run():
    """Contract D-2: no message ends in silence."""
    events = await say(session_with(PlayedModel([()])), "hi")
    assert only(RunFailed, events).message == "played returned an empty answer."


async def test_a_model_that_does_not_stop_is_stopped():
    """Contract D-2: an answer is bounded, and what is over fails the run."""
    talks = session_with(PlayedModel([["x" * 100_000] * 11]))
    assert "does not stop" in only(RunFailed, await say(talks, "hi")).message
    calls = session_with(PlayedModel([[calling("look")] * 129]))
    assert "does not stop" in only(RunFailed, await say(calls, "hi")).message


async def test_a_provider_that_is_not_connected_fails_the_run_with_what_to_do():
    definition = four_stages()
    agents = [
        agent.model_copy(update={"provider": "openai_compatible"}) for agent in definition.agents
    ]
    session = session_with(None, definition.model_copy(update={"agents": tuple(agents)}))
    message = only(RunFailed, await say(session, "hi")).message
    assert "'openai_compatible'" in message
    assert "OPENAI_BASE_URL" in message


async def test_where_nobody_answers_the_run_fails_with_the_reason():
    definition = PipelineDefinition(name="Empty")
    message = only(RunFailed, await say(session_with(None, definition), "hi")).message
    assert message == "No agent answers. No rule matched, and there is no default agent."


async def test_two_messages_at_once_are_refused():
    session = session_with(PlayedModel([("Hello.",)]))
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        await anext(events)
        with pytest.raises(SessionError, match="unfinished run"):
            session.receive(InboundMessage(id="2", text="ho"))


async def test_a_cancelled_run_is_closed_by_its_driver_and_leaves_no_call_unanswered():
    """Contract D-2: cancelled; and every call has a result, as models demand."""
    hangs = asyncio.Event()

    async def hang() -> str:
        hangs.set()
        await asyncio.Event().wait()
        return "never"

    model = PlayedModel([(calling("hang", call_id="x"),), ("Hello again.",)])
    session = session_with(model, with_tools("hang"), tools={"hang": hang})
    task = asyncio.create_task(say(session, "hi"))
    await hangs.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert session.unfinished
    (ended,) = session.end_run(StopReason.CANCELLED, by="ada")
    assert isinstance(ended, RunCompleted)
    assert (ended.reason, ended.by) == (StopReason.CANCELLED, "ada")
    assert session.history[-1].tool_call_id == "x"
    assert only(RunCompleted, await say(session, "still there?")).reason == StopReason.REPLIED


async def test_what_was_said_of_an_answer_that_broke_off_is_recorded_and_remembered():
    class BreaksOff(PlayedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
            async for piece in super().stream(request):
                if not isinstance(piece, Finished):
                    yield piece
                elif len(self.requests) == 1:
                    raise ProviderError("The connection broke off.")
                else:
                    yield piece

    model = BreaksOff([("Your parcel ", "is"), ("In Hull.",)])
    session = session_with(model)
    events = await say(session, "where is it?")
    assert only(RunFailed, events).cut_off == "Your parcel is"
    ended = only(RunCompleted, await say(session, "where?"))
    assert ended.cut_off is None
    assert model.seen[1] == ["where is it?", "Your parcel is", "where?"]
    again = Session(session.definition, events, session_id="s1", providers={})
    assert again.history == session.history[: len(again.history)]


async def test_no_run_no_end():
    with pytest.raises(SessionError, match="no run to end"):
        session_with(None).end_run(StopReason.CANCELLED)


async def test_resuming_nothing_yields_nothing():
    session = session_with(PlayedModel([("Hello.",)]))
    await say(session, "hi")
    assert [event async for event in session.resume()] == []


async def test_a_rule_for_an_agent_of_another_stage_enters_its_stage():
    """Contract O-3: the choice is an assignment, not a handoff."""
    definition = four_stages(
        rules=[{"id": "reviews", "agent_id": REVIEWER, "conditions": {"intents": ["review"]}}]
    )
    session = session_with(PlayedModel([("Let me see.",)]), definition)
    events = await say(session, "hi", intent="review")
    changed = only(PhaseChanged, events)
    assert (changed.from_phase, changed.to_phase, changed.phase) == ("intake", "review", "review")
    assert "reviews" in changed.reason
    assert session.state.handoff_count == 0
    assert only(MessageCompleted, events).agent_id == REVIEWER


async def test_the_supervisor_is_told_of_every_message_whatever_the_routing():
    """Contract O-5."""
    definition = four_stages(supervisor_id="agent-supervisor")
    session = session_with(PlayedModel([(handing_over("human"),)]), definition)
    for text in ("hi", "anyone?"):
        assert only(MessageRouted, await say(session, text)).observers == ("agent-supervisor",)


async def test_leaving_a_run_in_the_middle_of_an_answer_closes_the_model_at_once():
    """No stream outlives its run."""
    closed = []

    class Talker(PlayedModel):
        async def stream(self, request):
            try:
                while True:
                    yield TextPiece("and ")
            finally:
                closed.append(True)

    session = session_with(Talker([]))
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        async for event in events:
            if isinstance(event, MessageDelta):
                break
    assert closed == [True]
    assert session.unfinished
