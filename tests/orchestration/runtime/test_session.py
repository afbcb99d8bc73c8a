"""Sessions: messages, runs and their ends."""

import asyncio
from contextlib import aclosing

import pytest

from orchestration.definition import PipelineDefinition, Tool
from orchestration.events import (
    MessageCompleted,
    MessageDelta,
    MessageRouted,
    PhaseChanged,
    RunCompleted,
    RunFailed,
    StopReason,
)
from orchestration.exceptions import SessionError
from orchestration.messages import InboundMessage
from orchestration.providers.provider import TextPiece
from tests.orchestration.conversations import (
    HANDLER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    calling,
    collect,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
    unchecked_session_with,
    with_tools,
)


async def test_a_reply_is_a_run_of_one_turn():
    """Contract T-2, D-2: every event of a plain reply, in order."""
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


async def test_usage_adds_up_over_the_turns_of_a_run():
    """Contract D-6."""
    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    usage = only(RunCompleted, await say(session_with(model), "hi")).usage
    assert (usage.input_tokens, usage.output_tokens, usage.calls) == (20, 10, 2)


async def test_a_conversation_continues_after_a_failed_model():
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


async def test_a_run_without_an_agent_fails_with_the_reason():
    definition = PipelineDefinition(name="Empty")
    message = only(RunFailed, await say(unchecked_session_with(None, definition), "hi")).message
    assert message == "No agent answers. No rule matched, and there is no default agent."


async def test_two_messages_at_once_are_refused():
    session = session_with(PlayedModel([("Hello.",)]))
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        await anext(events)
        with pytest.raises(SessionError, match="unfinished run"):
            session.receive(InboundMessage(id="2", text="ho"))


async def test_ending_a_cancelled_run_closes_its_calls():
    """Contract D-2: cancelled, and every call has a result."""
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


async def test_ending_without_a_run_is_an_error():
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


async def test_the_supervisor_observes_every_message():
    """Contract O-5."""
    definition = four_stages(supervisor_id="agent-supervisor")
    session = unchecked_session_with(PlayedModel([(handing_over("human"),)]), definition)
    for text in ("hi", "anyone?"):
        assert only(MessageRouted, await say(session, text)).observers == ("agent-supervisor",)


async def test_closing_a_run_closes_the_stream_of_its_model():
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


async def test_a_message_that_is_sent_twice_counts_once():
    session = session_with(PlayedModel([["Hello."], ["Again."]]))
    message = InboundMessage(id="7", text="hi")
    events = await collect(session.receive(message))
    assert await collect(session.receive(message)) == []
    restarted = session_with(PlayedModel([["Again."]]), events=events)
    assert await collect(restarted.receive(message)) == []
    assert [entry.text for entry in restarted.history] == ["hi", "Hello."]
    again = await collect(restarted.receive(InboundMessage(id="8", text="hi")))
    assert only(MessageCompleted, again).text == "Again."


async def test_a_message_that_is_sent_again_continues_its_interrupted_run():
    message = InboundMessage(id="7", text="hi")
    async with aclosing(session_with(PlayedModel([["Hello."]])).receive(message)) as events:
        recorded = [await anext(events) for _ in range(3)]
    session = session_with(PlayedModel([["Hello."]]), events=recorded)
    rest = await collect(session.receive(message))
    assert only(MessageCompleted, rest).text == "Hello."
    assert only(RunCompleted, rest).reason == "replied"


@pytest.mark.parametrize("asks", [False, True])
async def test_a_message_from_an_agent_is_recorded_and_ignored(asks):
    """Contract O-3: it is no failure, no answer to a question, and no agent sees it."""
    tool = Tool(name="ask", kind="user_input")
    model = PlayedModel([[calling("ask", question="Which one?")] if asks else ["Hello."]])
    definition = with_tools(tool) if asks else four_stages()
    session = session_with(model, definition, ask_user=lambda request: None)
    await say(session, "hi")
    history = list(session.history)
    events = await say(session, "I am a bot", from_agent="other")
    assert types(events) == [
        "run.started", "message.received", "message.routed", "run.completed",
    ]  # fmt: skip
    assert only(RunCompleted, events).reason == "waiting_for_user"
    assert session.history == history
    assert (session.open_question is not None) is asks
