"""Journals: storage of a session's events (contract S-7).

A complete journal restores the conversation: `Session(definition, journal.events, …)` has the same
state as the session that wrote it, and `resume` repeats no finished work. Events of subtasks and
of a swarm's turns have deterministic session ids of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from orchestration.events import Event


class Journal(Protocol):
    """Permanent storage of events, in order."""

    async def record(self, event: Event) -> None:
        """Store an event durably; an exception ends the run.

        After a cancellation the same event is recorded again: store one event per `seq`.
        """


class NoJournal:
    """Journal without storage, for conversations that need not survive their process."""

    async def record(self, event: Event) -> None:
        """Do nothing."""


class MemoryJournal:
    """Journal in memory, for one session or several.

    >>> import asyncio
    >>> from orchestration import InboundMessage, PipelineDefinition, Session
    >>> async def main():
    ...     journal = MemoryJournal()
    ...     desk = PipelineDefinition.model_validate({
    ...         "name": "Desk", "entry": "desk", "stages": [{"phase": "desk", "kind": "human"}]
    ...     })
    ...     session = Session(desk, session_id="one", providers={}, journal=journal)
    ...     async for event in session.run(InboundMessage(id="1", text="Hello?")):
    ...         print(event.seq, event.type)
    ...     again = Session(desk, journal.events, session_id="one", providers={})
    ...     return again.history == session.history
    >>> asyncio.run(main())
    1 run.started
    2 message.received
    3 message.routed
    4 run.completed
    True
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events = list(events)
        self._keys = {(event.session_id, event.seq) for event in self.events}

    async def record(self, event: Event) -> None:
        """Append an event unless it is already stored."""
        if (key := (event.session_id, event.seq)) not in self._keys:
            self._keys.add(key)
            self.events.append(event)
