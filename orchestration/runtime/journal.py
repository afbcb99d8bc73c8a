"""Journals: storage of a session's events (contract S-7).

A journal that has kept every event gives the conversation back: `Session(definition,
journal.events, …)` stands where the last one stood, and `resume` repeats nothing that is recorded
as finished. Events of subtasks and of a swarm's turns carry deterministic session ids
of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from orchestration.events import Event


class Journal(Protocol):
    """Keeps events, in order, for good."""

    async def record(self, event: Event) -> None:
        """Keep an event. When this returns, it is safe; what it raises ends the driving.

        Where it was cancelled, the same event comes once more: keep one of each `seq`.
        """


class NoJournal:
    """Keeps nothing: for conversations that need not survive their process."""

    async def record(self, event: Event) -> None:
        """Forget it."""


class MemoryJournal:
    """Keeps events in memory, of one session or of several.

    >>> import asyncio
    >>> from orchestration import InboundMessage, PipelineDefinition, Session
    >>> async def main():
    ...     journal, empty = MemoryJournal(), PipelineDefinition(name="Nobody yet")
    ...     session = Session(empty, session_id="one", providers={}, journal=journal)
    ...     async for event in session.run(InboundMessage(id="1", text="Hello?")):
    ...         print(event.seq, event.type)
    ...     again = Session(empty, journal.events, session_id="one", providers={})
    ...     return again.history == session.history
    >>> asyncio.run(main())
    1 run.started
    2 message.received
    3 message.routed
    4 run.failed
    True
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events = list(events)
        self._kept = {(event.session_id, event.seq) for event in self.events}

    async def record(self, event: Event) -> None:
        """Keep it at the end, once."""
        if (key := (event.session_id, event.seq)) not in self._kept:
            self._kept.add(key)
            self.events.append(event)
