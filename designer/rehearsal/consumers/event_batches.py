"""Batches of recorded events for sockets, rendered once for all readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from cachetools import LRUCache

from designer.core import PerEventLoop, in_database
from designer.models import Conversation
from designer.rehearsal.fragments.conversation import Batch, render_batch
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import trace_state_at

MAX_CHARACTERS = 4_000_000
"""Maximum number of cached characters, for all conversations of this process."""

MAX_STATES = 512
"""Maximum number of cached positions at which a reader may reconnect."""

Key = tuple[str, int, int]


class Batches:
    """Cache of the last requested batches.

    The batch after an event is the same for all readers: events do not change, and their HTML
    depends only on the events before them.
    """

    def __init__(
        self,
        render: Callable[[int, int, TraceState], Batch | None] = render_batch,
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        self._render = render
        self._cached: LRUCache[Key, Batch] = LRUCache(
            max_characters, getsizeof=lambda batch: len(batch.html)
        )
        self._states: LRUCache[Key, TraceState] = LRUCache(MAX_STATES)
        self._tasks: dict[Key, asyncio.Task[Batch | None]] = {}

    async def trace_state(
        self, conversation: Conversation, cursor: int, audience: str
    ) -> TraceState:
        """Return the state of the trace for a page that shows the events up to the cursor."""
        cached = self._states.get((audience, conversation.pk, cursor))
        if cached is not None:
            return cached
        return await in_database(trace_state_at, conversation, cursor)

    async def after(
        self, conversation_id: int, cursor: int, trace_state: TraceState, audience: str
    ) -> Batch | None:
        """Return the next events after the cursor; None if there are none yet.

        `audience` distinguishes pages that show the same events in different ways.
        """
        key = (audience, conversation_id, cursor)
        if (cached := self._cached.get(key)) is not None:
            return cached
        task = self._tasks.get(key)
        if task is None:
            work = in_database(self._render, conversation_id, cursor, trace_state)
            task = self._tasks[key] = asyncio.create_task(work)
            task.add_done_callback(lambda done: self._keep(key, done))
        return await asyncio.shield(task)

    def _keep(self, key: Key, done: asyncio.Task[Batch | None]) -> None:
        del self._tasks[key]
        if done.cancelled() or done.exception() is not None or (batch := done.result()) is None:
            return
        self._states[key[0], key[1], batch.last_seq] = batch.trace_state
        with suppress(ValueError):  # larger than the whole cache
            self._cached[key] = batch


_BATCHES = PerEventLoop(Batches)


def batches() -> Batches:
    """Return the batches of the running event loop."""
    return _BATCHES.get()
