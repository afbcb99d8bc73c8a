"""Model calls and tools end when the seconds of the run are used up (contract D-9)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import pytest

from orchestration.definition import Group, Limits, PipelineDefinition, Tool
from orchestration.events import (
    Event,
    LimitReached,
    MessageDelta,
    RunCompleted,
    RunFailed,
    SubtaskStarted,
)
from orchestration.exceptions import ProviderError
from orchestration.messages import InboundMessage
from orchestration.providers.provider import ModelRequest, Piece, TextPiece
from tests.orchestration.conversations import (
    PlayedModel,
    Turn,
    calling,
    every,
    four_stages,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.topologies import with_group
from tests.orchestration.user_question import ASKING, asks_once

NEEDS_APPROVAL = Tool(name="look", approval=True)
SHORT = Limits(max_seconds=0.1)


class HangingModel:
    """A model that sends one piece and then hangs."""

    name = "hanging"

    def __init__(self, error: Exception | None = None, text: str = "Half") -> None:
        self.error, self.text = error, text
        self.closed = 0

    def model_of(self, request: ModelRequest) -> str:
        return "hanging"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        try:
            yield TextPiece(self.text)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if self.error is not None:
                raise self.error from None
            raise
        finally:
            self.closed += 1


def short(definition: PipelineDefinition) -> PipelineDefinition:
    return definition.model_copy(update={"limits": SHORT})


@pytest.mark.parametrize("error", [None, ProviderError("The connection was closed.")])
async def test_a_running_call_is_cut_when_its_seconds_are_used_up(error):
    """The provider may turn the cancellation into an error of its own."""
    model = HangingModel(error)
    session = session_with(providers={"default": model}, definition=short(four_stages()))
    events = await say(session, "hi")
    assert types(events)[-2:] == ["limit.reached", "run.completed"]
    assert only(LimitReached, events).resource == "time"
    end = only(RunCompleted, events)
    assert (end.reason, end.cut_off) == ("time_limit", "Half")
    assert session.history[-1].text == "Half"
    assert model.closed == 1
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0, "the task of the caller is not cancelled"


async def test_a_call_is_cut_although_each_event_is_awaited_in_another_task():
    session = session_with(providers={"default": HangingModel()}, definition=short(four_stages()))
    stream = session.receive(InboundMessage(id="1", text="hi"))

    async def next_event() -> Event:
        return await anext(stream)

    events: list[Event] = []
    async with asyncio.timeout(30) as patience:
        while "run.completed" not in types(events):
            events.append(await asyncio.create_task(next_event()))
    await stream.aclose()
    assert not patience.expired()
    assert only(RunCompleted, events).reason == "time_limit"


async def test_running_tools_are_cut_and_their_calls_closed():
    async def hang() -> None:
        await asyncio.Event().wait()

    model = PlayedModel([(calling("hang"), calling("look"))])
    session = session_with(
        model, short(with_tools("hang", "look")), tools={"hang": hang, "look": lambda: "found"}
    )
    events = await say(session, "hi")
    assert only(RunCompleted, events).reason == "time_limit"
    results = [message.text for message in session.history if message.role == "tool"]
    assert results == ["Error: the run ended before this call was done.", "found"]


async def test_parallel_calls_are_cut_together():
    group = Group(agents=("a", "b", "c"))
    definition = with_group(group, entry="panel", transitions=[], limits=SHORT)
    model = HangingModel()
    session = session_with(providers={"default": model}, definition=definition)
    events = await say(session, "hi")
    assert len(every(SubtaskStarted, events)) == model.closed == 3
    assert [end.reason for end in every(RunCompleted, events)] == ["time_limit"] * 4


async def test_a_call_is_cut_while_its_events_are_recorded():
    """The deadline never interrupts the consumer of the events."""
    session = session_with(providers={"default": HangingModel()}, definition=short(four_stages()))
    events = []
    async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, MessageDelta):
                session._deadline.ends_at = 0
    assert only(RunCompleted, events).reason == "time_limit"


async def test_a_cancelled_run_stays_cancelled():
    started = asyncio.Event()
    session = session_with(providers={"default": HangingModel()})

    async def drive() -> None:
        async with aclosing(session.receive(InboundMessage(id="1", text="hi"))) as events:
            async for event in events:
                if isinstance(event, MessageDelta):
                    started.set()

    driving = asyncio.create_task(drive())
    await started.wait()
    driving.cancel()
    with suppress(asyncio.CancelledError):
        await driving
    assert driving.cancelled()
    assert session.unfinished


async def test_no_work_is_in_progress_while_the_user_or_a_person_decides():
    """Contract D-9: only work counts."""
    work: list[int] = []

    async def answer(question: object) -> str:
        work.append(session._deadline.in_progress)
        return "Seven."

    session = session_with(PlayedModel(asks_once), ASKING, ask_user=answer)
    events = await say(session, "hi")
    assert only(RunCompleted, events).reason == "replied"
    session = session_with(PlayedModel([(calling("look"),)]), with_tools(NEEDS_APPROVAL))
    await say(session, "hi")
    assert session.paused is not None
    assert [*work, session._deadline.in_progress] == [0, 0]


async def test_a_call_that_fails_by_itself_is_a_failure():
    def turn(request: ModelRequest) -> Turn:
        raise ProviderError("The model is away.")

    events = await say(session_with(PlayedModel(turn)), "hi")
    assert only(RunFailed, events).message == "The model is away."
