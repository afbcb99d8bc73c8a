"""Merge of several event streams."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from orchestration.cancellation import end_tasks
from orchestration.events import Event, MessageDelta

Events = AsyncGenerator[Event, None]

CLOSE_SECONDS = 10.0
"""Maximum seconds for closing the streams; their tool calls have a time limit of their own."""


@dataclass(slots=True)
class Outbox:
    """Queue of events, each with a future that is resolved when the event is consumed."""

    events: deque[tuple[Event, asyncio.Future[None]]] = field(default_factory=deque)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def put(self, event: Event) -> None:
        """Add an event and wait until it is consumed."""
        consumed = asyncio.get_running_loop().create_future()
        self.events.append((event, consumed))
        self.arrived.set()
        await consumed


@dataclass(slots=True)
class Trace:
    """Number of the last event and the answers, shared by all conversations of a session."""

    seq: int = 0
    answers: dict[int, str | None] = field(default_factory=dict)
    """Agent of each answer with a text, by the number of its event."""
    outbox: Outbox | None = None
    """Queue for the events of parallel streams, while any run."""
    undelivered: list[Event] = field(default_factory=list)
    """Events that were produced while the streams were closed."""

    def take_undelivered(self) -> list[Event]:
        """Return and clear the undelivered events, in order."""
        if not self.undelivered:
            return []
        undelivered, self.undelivered = self.undelivered, []
        return [event for event in undelivered if not isinstance(event, MessageDelta)]


async def merge(streams: Sequence[Events], trace: Trace) -> Events:
    """Yield the events of all streams in the order of their creation.

    A stream continues only after its last event was consumed, so that each event is recorded
    before the next. A nested merge sends its events to the outermost one. Closing the merged stream
    closes all streams and their tasks; events that were not consumed stay in `trace.undelivered`.
    """
    is_nested = trace.outbox is not None
    outbox = trace.outbox = trace.outbox or Outbox()
    pumps = [asyncio.ensure_future(_pump(stream, outbox)) for stream in streams]
    try:
        if is_nested:
            await asyncio.gather(*pumps)
            return
        for pump in pumps:
            pump.add_done_callback(lambda _: outbox.arrived.set())
        while outbox.events or not all(pump.done() for pump in pumps):
            await outbox.arrived.wait()
            outbox.arrived.clear()
            while outbox.events:
                event, consumed = outbox.events.popleft()
                yield event
                consumed.set_result(None)
        for pump in pumps:
            pump.result()
    finally:
        if not is_nested:
            trace.outbox = None
        try:
            await end_tasks(pumps, within=CLOSE_SECONDS)
        finally:
            if not is_nested:
                trace.undelivered += [event for event, _ in outbox.events]


async def _pump(stream: Events, outbox: Outbox) -> None:
    async with aclosing(stream) as events:
        async for event in events:
            await outbox.put(event)
