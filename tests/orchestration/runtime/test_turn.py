"""Turns: answers, calls, and failures of a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta

from orchestration.events import (
    MessageDelta,
    RunCompleted,
    RunFailed,
    TurnStarted,
)
from orchestration.exceptions import ProviderError
from orchestration.messages import InboundMessage
from orchestration.providers.provider import Finished, ModelRequest, Piece
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    NOON,
    PlayedModel,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    with_tools,
)


async def test_deltas_have_an_offset_and_the_last_recorded_number():
    session = session_with(PlayedModel([("Hel", "lo.")]))
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        deltas = [event async for event in events if isinstance(event, MessageDelta)]
    assert [(delta.seq, delta.offset, delta.text) for delta in deltas] == [
        (4, 0, "Hel"),
        (4, 3, "lo."),
    ]


async def test_deltas_have_the_time_of_the_first_piece():
    now = NOON

    class SlowModel(PlayedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
            nonlocal now
            now += timedelta(seconds=2)
            async with aclosing(super().stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
                    now += timedelta(seconds=1)

    session = session_with(SlowModel([("Hel", "lo.")]), clock=lambda: now)
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
        found = [event async for event in events]
    assert only(TurnStarted, found).at == NOON
    assert [event.at - NOON for event in every(MessageDelta, found)] == [timedelta(seconds=2)] * 2


async def test_an_empty_answer_fails_the_run():
    """Contract D-2: every message gets an answer or an error."""
    events = await say(session_with(PlayedModel([()])), "hi")
    assert only(RunFailed, events).message == "played returned an empty answer."


async def test_an_endless_answer_fails_the_run():
    """Contract D-2: answers have a maximum length."""
    talks = session_with(PlayedModel([["x" * 100_000] * 11]))
    assert "does not stop" in only(RunFailed, await say(talks, "hi")).message
    calls = session_with(PlayedModel([[calling("look")] * 129]))
    assert "does not stop" in only(RunFailed, await say(calls, "hi")).message


async def test_a_missing_provider_fails_the_run_with_instructions():
    definition = four_stages()
    agents = [
        agent.model_copy(update={"provider": "openai_compatible"}) for agent in definition.agents
    ]
    session = session_with(None, definition.model_copy(update={"agents": tuple(agents)}))
    message = only(RunFailed, await say(session, "hi")).message
    assert "'openai_compatible'" in message
    assert "OPENAI_BASE_URL" in message


async def test_an_interrupted_answer_is_recorded_and_remembered():
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


async def test_an_empty_answer_after_a_handoff_fails_the_run():
    """Contract D-2: an earlier message of another agent is not its answer."""
    model = PlayedModel([("One moment.", handing_over("agent-handler")), ()])
    events = await say(session_with(model), "hi")
    assert "returned an empty answer" in only(RunFailed, events).message


async def test_calls_with_equal_ids_each_get_a_result():
    """Contract D-4: some servers repeat ids."""
    model = PlayedModel([(calling("look", call_id="x"), calling("look", call_id="x")), ("Done.",)])
    session = session_with(model, with_tools("look"), tools={"look": lambda: "found"})
    await say(session, "hi")
    _, asked, *results, _ = session.history
    assert [one.tool_call_id for one in results] == [call.id for call in asked.tool_calls]
    assert len(set(results)) == len(results) == 2
