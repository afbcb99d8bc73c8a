"""Deadline of a run's work: a running model call or tool ends when the seconds are used up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from orchestration import events as e
from orchestration.conversation import Budget, EventFactory


@dataclass(slots=True)
class Deadline:
    """Timer for the work of all conversations of a run. It runs only while work is in progress."""

    budget: Budget
    work: list[TimedWork] = field(default_factory=list)
    """Work in progress."""
    _timer: asyncio.TimerHandle | None = None

    def begin(self, work: TimedWork) -> None:
        """Add work; the first starts the timer."""
        if not self.work:
            seconds = max(0.0, self.budget.remaining_seconds)
            self._timer = asyncio.get_running_loop().call_later(seconds, self._expire)
        self.work.append(work)

    def end(self, work: TimedWork) -> None:
        """Remove work; the last stops the timer."""
        self.work.remove(work)
        if not self.work and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        for work in self.work:
            work.expire()


def time_limit_reached(factory: EventFactory, agent_id: str | None) -> e.LimitReached:
    """Return the event of the deadline, for work of an agent that it interrupted."""
    limit = factory.conversation.budget.limits.max_seconds
    return e.LimitReached(*factory.turn_head(agent_id), resource="time", used=limit, limit=limit)


@dataclass(slots=True, eq=False)
class TimedWork:
    """Context of a model call or of tools; its end is not an error if the deadline caused it.

    The code sets `waiting` to the current task before it awaits the work, and to None afterwards:
    an expired deadline interrupts only this wait, and never the consumer of the events.
    """

    deadline: Deadline
    waiting: asyncio.Task[object] | None = None
    expired: bool = False
    _interrupted: asyncio.Task[object] | None = None

    def __enter__(self) -> Self:
        self.deadline.begin(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Suppress the errors that the deadline caused, unless the task was cancelled as well."""
        self.deadline.end(self)
        if self._interrupted is None:
            return False
        cancelled_by_others = self._interrupted.uncancel() > 0
        return not cancelled_by_others and isinstance(error, Exception | asyncio.CancelledError)

    def expire(self) -> None:
        """Interrupt the wait; without one the code ends when it sees `expired`."""
        self.expired = True
        if self.waiting is not None:
            self._interrupted, self.waiting = self.waiting, None
            self._interrupted.cancel()
