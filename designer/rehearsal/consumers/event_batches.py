"""Recorded events as the sockets send them, rendered once for all who read along."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from designer.core import in_database
from designer.models import Conversation
from designer.rehearsal.fragments.conversation import Batch, render_batch, telling_of
from designer.rehearsal.trace.trace_state import TraceState

MAX_CHARACTERS = 4_000_000
"""Maximum number of cached characters, for all conversations of this process."""

MAX_TELLINGS = 512
"""Maximum number of cached positions at which a reader may reconnect."""

Key = tuple[str, int, int]


@dataclass
class Batches:
    """The batches that were asked for last.

    What follows an event is the same for everyone who has read so far: events do not change, and
    how they are told depends on those before them only.
    """

    render: Callable[[int, int, TraceState], Batch | None] = render_batch
    max_characters: int = MAX_CHARACTERS
    _kept: OrderedDict[Key, Batch] = field(default_factory=OrderedDict)
    _size: int = 0
    _told: OrderedDict[Key, TraceState] = field(default_factory=OrderedDict)
    _coming: dict[Key, asyncio.Task[Batch | None]] = field(default_factory=dict)

    async def telling(self, conversation: Conversation, cursor: int, audience: str) -> TraceState:
        """Return the state of the trace for a page that shows the events up to the cursor."""
        known = self._told.get((audience, conversation.pk, cursor))
        if known is not None:
            return known
        return await in_database(telling_of, conversation, cursor)

    async def after(
        self, conversation_id: int, cursor: int, telling: TraceState, audience: str
    ) -> Batch | None:
        """Some events past the cursor; None where there are none yet.

        `audience` tells pages apart that show the same events in different ways.
        """
        key = (audience, conversation_id, cursor)
        if (found := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return found
        task = self._coming.get(key)
        if task is None:
            work = in_database(self.render, conversation_id, cursor, telling)
            task = self._coming[key] = asyncio.create_task(work)
            task.add_done_callback(lambda done: self._keep(key, done))
        return await asyncio.shield(task)

    def _keep(self, key: Key, done: asyncio.Task[Batch | None]) -> None:
        del self._coming[key]
        if done.cancelled() or done.exception() is not None or (batch := done.result()) is None:
            return
        self._kept[key] = batch
        self._told[key[0], key[1], batch.last_seq] = batch.telling
        while len(self._told) > MAX_TELLINGS:
            self._told.popitem(last=False)
        self._size += len(batch.html)
        while self._size > self.max_characters:
            _, gone = self._kept.popitem(last=False)
            self._size -= len(gone.html)


_BATCHES: WeakKeyDictionary[asyncio.AbstractEventLoop, Batches] = WeakKeyDictionary()


def batches() -> Batches:
    """The batches of this event loop."""
    loop = asyncio.get_running_loop()
    found = _BATCHES.get(loop)
    if found is None:
        found = _BATCHES[loop] = Batches()
    return found
