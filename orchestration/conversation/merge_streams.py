"""Several streams of events as one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from orchestration.events import Event, MessageDelta

Events = AsyncGenerator[Event, None]


@dataclass(slots=True)
class Outbox:
    """Events in the order in which they were made, each with whom to tell that it was taken."""

    events: deque[tuple[Event, asyncio.Future[None]]] = field(default_factory=deque)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def put(self, event: Event) -> None:
        """Put an event in, and wait until it was taken."""
        taken = asyncio.get_running_loop().create_future()
        self.events.append((event, taken))
        self.came.set()
        await taken


@dataclass(slots=True)
class Trace:
    """The number of the last event. All conversations of a session count together."""

    seq: int = 0
    outbox: Outbox | None = None
    """Queue for the events of streams that run in parallel, while there are any."""
    untold: list[Event] = field(default_factory=list)
    """Events produced while the streams were closed, not delivered yet."""

    def take_untold(self) -> list[Event]:
        """Return the events not delivered yet, in order."""
        if not self.untold:
            return []
        untold, self.untold = self.untold, []
        return [event for event in untold if not isinstance(event, MessageDelta)]


async def merge(streams: Sequence[Events], trace: Trace) -> Events:
    """The events of all streams, in the order in which they are made.

    A stream goes on only when its last event was taken, so that each is recorded before what
    follows it. Streams that are merged within one of these give theirs to the outermost. Whoever
    closes the merged stream closes them all, and no task outlives it; the events that had come and
    were not taken by then are left in `trace.untold`.
    """
    within = trace.outbox is not None
    outbox = trace.outbox = trace.outbox or Outbox()
    pumps = [asyncio.ensure_future(_pump(stream, outbox)) for stream in streams]
    try:
        if within:
            await asyncio.gather(*pumps)
            return
        for pump in pumps:
            pump.add_done_callback(lambda _: outbox.came.set())
        while outbox.events or not all(pump.done() for pump in pumps):
            await outbox.came.wait()
            outbox.came.clear()
            while outbox.events:
                event, taken = outbox.events.popleft()
                yield event
                taken.set_result(None)
        for pump in pumps:
            pump.result()
    finally:
        if not within:
            trace.outbox = None
        try:
            await _end(pumps)
        finally:
            if not within:
                trace.untold += [event for event, _ in outbox.events]


async def _end(pumps: Sequence[asyncio.Task[None]]) -> None:
    """Cancel what goes on, and wait until it has ended."""
    going = [pump for pump in pumps if not pump.done()]
    for pump in going:
        pump.cancel()
    if going:
        await asyncio.gather(*going, return_exceptions=True)


async def _pump(stream: Events, outbox: Outbox) -> None:
    async with aclosing(stream) as events:
        async for event in events:
            await outbox.put(event)
