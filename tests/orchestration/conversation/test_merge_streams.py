"""Merge of event streams: order, numbers, closing and errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from orchestration.conversation import Events, merge
from orchestration.conversation.merge_streams import Trace
from orchestration.definition import Group, Limits
from orchestration.events import (
    ContextWarned,
    Event,
    MessageDelta,
    ToolReturned,
    TurnStarted,
)
from orchestration.messages import ToolResult
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from tests.orchestration.conversations import (
    NOON,
    PlayedModel,
    every,
    say,
    session_with,
)
from tests.orchestration.topologies import with_group

PANEL = Group(agents=("b", "a", "c"))


async def test_parallel_warnings_of_members_have_consecutive_numbers():
    """Contract T-5: the trace has no gap and no repeated number."""

    class Pausing(PlayedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
            await asyncio.sleep(0)
            yield TextPiece("Yes.")
            yield Finished()

    definition = with_group(PANEL, entry="panel", transitions=[])
    once_asked = await say(session_with(Pausing([]), definition), "hi " * 50)
    filled = max(one.context_tokens for one in every(TurnStarted, once_asked))
    limits = Limits(max_context_tokens=filled)
    definition = definition.model_copy(update={"limits": limits})
    events = await say(session_with(Pausing([]), definition), "hi " * 50)
    assert len(every(ContextWarned, events)) == 3
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def event(number: int) -> ToolReturned:
    """Return an event with a number."""
    result = ToolResult(call_id=str(number), name="look")
    return ToolReturned(number, NOON, "s1", "run", "intake", result=result)


async def stream(*events: Event, closed: list[str] | None = None, error: str = "") -> Events:
    """Yield events, then raise an error if there is one."""
    try:
        for each in events:
            yield each
        if error:
            raise LookupError(error)
    finally:
        if closed is not None:
            closed.append("closed")


async def test_a_merge_yields_each_event_and_keeps_the_order_of_each_stream():
    trace = Trace()
    streams = [stream(event(1), event(2)), stream(event(3)), stream()]
    numbers = [each.seq async for each in merge(streams, trace)]
    assert sorted(numbers) == [1, 2, 3]
    assert numbers.index(1) < numbers.index(2)
    assert (trace.outbox, trace.undelivered) == (None, [])


async def test_a_nested_merge_sends_its_events_to_the_outer_one():
    trace = Trace()
    nested = merge([stream(event(1)), stream(event(2))], trace)
    numbers = [each.seq async for each in merge([nested, stream(event(3))], trace)]
    assert sorted(numbers) == [1, 2, 3]


async def test_an_error_of_one_stream_ends_the_merge_and_closes_the_others():
    closed: list[str] = []
    merged = merge([stream(event(1), closed=closed), stream(error="gone")], Trace())
    with pytest.raises(LookupError, match="gone"):
        [each async for each in merged]
    assert closed == ["closed"]


async def test_closing_a_merge_closes_its_streams_and_keeps_undelivered_events():
    trace = Trace()
    closed: list[str] = []
    merged = merge([stream(event(n), event(n + 10), closed=closed) for n in (1, 2)], trace)
    async with aclosing(merged) as events:
        first = await anext(events)
    assert closed == ["closed", "closed"]
    assert first.seq == 1
    assert [each.seq for each in trace.take_undelivered()] == [2]
    assert trace.take_undelivered() == []


async def test_undelivered_pieces_of_an_answer_are_dropped():
    delta = MessageDelta(1, NOON, "s1", "run", "intake", turn=1, offset=0, text="x")
    assert Trace(undelivered=[delta, event(1)]).take_undelivered() == [event(1)]
