"""Deadline of a run's work: a running model call or tool ends when the seconds are used up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

from orchestration import events as e
from orchestration.conversation import Budget, EventFactory

TICK = 0.1
"""Maximum seconds between two checks of the work in progress."""


@dataclass(slots=True)
class Deadline:
    """Time of work of a run, with the work in progress of all its conversations."""

    budget: Budget
    in_progress: int = 0
    """Number of model calls and sets of tools in progress."""
    ends_at: float = 0.0
    """End of the time on the event loop's clock, while work is in progress."""

    def has_passed(self, now: float) -> bool:
        """Report whether the time is used up."""
        return now >= self.ends_at


@dataclass(slots=True, eq=False)
class TimedWork:
    """Context of a model call or of tools, which ends it when the deadline has passed.

    The deadline interrupts only the wait for the next item of `items`, never the consumer of the
    events: it cancels the task that entered the context, and only while that wait is in progress.
    The context suppresses the errors that this causes, unless the task was cancelled as well.
    """

    deadline: Deadline
    items: AsyncGenerator[Any, None]
    expired: bool = False
    """True if the deadline interrupted the work."""
    _task: asyncio.Task[Any] | None = None
    _ticker: _Ticker | None = None

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task(loop)
        self._ticker = _ticker(loop)
        self._ticker.begin(self, loop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Return True for an error that the deadline caused."""
        if self._ticker is not None:
            self._ticker.end(self)
        if not self.expired or self._task is None:
            return False
        cancelled_by_others = self._task.uncancel() > 0
        return not cancelled_by_others and isinstance(error, Exception | asyncio.CancelledError)

    def expire(self) -> None:
        """Interrupt the wait for the next item, or try again at the next tick."""
        is_waiting = getattr(self.items, "ag_running", False)
        if is_waiting and self._task is not None and not self.expired:
            self.expired = True
            self._task.cancel()


@dataclass(slots=True, eq=False)
class _Ticker:
    """Timer of an event loop for all work in progress: cheaper than a timer for each call."""

    work: set[TimedWork] = field(default_factory=set)
    is_running: bool = False

    def begin(self, work: TimedWork, loop: asyncio.AbstractEventLoop) -> None:
        deadline = work.deadline
        if not deadline.in_progress:
            deadline.ends_at = loop.time() + deadline.budget.remaining_seconds
        deadline.in_progress += 1
        self.work.add(work)
        if not self.is_running:
            self.is_running = True
            loop.call_later(TICK, self._tick)

    def end(self, work: TimedWork) -> None:
        work.deadline.in_progress -= 1
        self.work.discard(work)

    def _tick(self) -> None:
        self.is_running = bool(self.work)
        if not self.is_running:
            return
        loop = asyncio.get_running_loop()
        loop.call_later(TICK, self._tick)
        now = loop.time()
        for work in list(self.work):
            if work.deadline.has_passed(now):
                work.expire()


_TICKERS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ticker] = WeakKeyDictionary()


def _ticker(loop: asyncio.AbstractEventLoop) -> _Ticker:
    ticker = _TICKERS.get(loop)
    if ticker is None:
        ticker = _TICKERS[loop] = _Ticker()
    return ticker


def time_limit_reached(factory: EventFactory, agent_id: str | None) -> e.LimitReached:
    """Return the event of the deadline, for work of an agent that it interrupted."""
    limit = factory.conversation.budget.limits.max_seconds
    return e.LimitReached(*factory.turn_head(agent_id), resource="time", used=limit, limit=limit)
