"""Where a session's events are kept (row S-7).

A journal that has kept every event gives the conversation back: `Session(definition,
journal.events(session_id), …)` stands where the last one stood, and `resume` repeats nothing that
is recorded as finished. Events of subtasks and of a swarm's turns carry deterministic session ids
of their own.
"""

from __future__ import annotations

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
    """Keeps events in memory."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    async def record(self, event: Event) -> None:
        """Keep it at the end, once."""
        if not self.events or event.seq > self.events[-1].seq:
            self.events.append(event)
