"""Several streams of events as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from orchestration.events import Event, Fact

Events = AsyncGenerator[Event, None]


async def merge(streams: Sequence[Events], untold: list[Event]) -> Events:
    """The events of all streams as they come, in the order of their numbers.

    A stream goes on only when its last event was taken, so that each is recorded before what
    follows it. Whoever closes the merged stream closes them all, and no task outlives it; the
    events that had come and were not taken by then are added to `untold`.
    """
    waiting = {_next(stream): stream for stream in streams}
    events: list[tuple[Event, Events]] = []
    try:
        while waiting:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            came = [(task, waiting.pop(task)) for task in list(waiting) if task in done]
            events = [
                (event, stream) for task, stream in came if (event := task.result()) is not None
            ]
            events.sort(key=lambda one: one[0].seq, reverse=True)
            while events:
                event, stream = events.pop()
                yield event
                waiting[_next(stream)] = stream
    finally:
        for task in waiting:
            task.cancel()
        late = await asyncio.gather(*waiting, return_exceptions=True)
        untold += [event for event, _ in events]
        untold += [event for event in late if isinstance(event, Fact)]
        for stream in streams:
            await stream.aclose()


def _next(stream: Events) -> asyncio.Task[Event | None]:
    return asyncio.ensure_future(_event(stream))


async def _event(stream: Events) -> Event | None:
    """The next event; None at the end."""
    return await anext(stream, None)
