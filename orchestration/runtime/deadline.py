"""Deadline of a run's work: a running model call or tool ends when the seconds are used up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Any, Self

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
    """End of the time on the monotonic clock, while work is in progress."""


@dataclass(slots=True, eq=False)
class TimedWork:
    """Context of the wait for the items of a model call or of tools.

    When the deadline has passed, the context interrupts the wait for the next item, never the
    consumer of the events: it cancels the task that waits, and only while it waits. It suppresses
    the errors that this causes, unless the task was cancelled as well.
    """

    deadline: Deadline
    items: AsyncGenerator[Any, None]
    timer: Timer
    expired: bool = False
    """True if the deadline interrupted the work."""
    task: asyncio.Task[Any] | None = None
    """Task that waits for the next item. Set it again after each event: the next event may be
    awaited in another task, as `asyncio.wait_for(anext(events))` does on Python 3.11.
    """

    def __enter__(self) -> Self:
        deadline, timer = self.deadline, self.timer
        if not deadline.in_progress:
            deadline.ends_at = monotonic() + deadline.budget.remaining_seconds
        deadline.in_progress += 1
        self.task = asyncio.current_task(timer.loop)
        timer.work.add(self)
        if not timer.is_running:
            timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Return True for an error that the deadline caused."""
        self.deadline.in_progress -= 1
        self.timer.work.discard(self)
        is_suppressed = False
        if self.expired and self.task is not None:
            cancelled_by_others = self.task.uncancel() > 0
            is_expected = isinstance(error, Exception | asyncio.CancelledError)
            is_suppressed = is_expected and not cancelled_by_others
        return is_suppressed

    def expire(self) -> None:
        """Interrupt the wait for the next item, or try again at the next tick."""
        is_waiting = getattr(self.items, "ag_running", False)
        if is_waiting and self.task is not None and not self.expired:
            self.expired = True
            self.task.cancel()


class Timer:
    """Timer of an event loop for all work in progress: cheaper than a timer for each call."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.work: set[TimedWork] = set()
        self.is_running = False

    def start(self) -> None:
        """Check the work regularly until none is left."""
        self.is_running = True
        self.loop.call_later(TICK, self._tick)

    def _tick(self) -> None:
        if not self.work:
            self.is_running = False
            return
        self.loop.call_later(TICK, self._tick)
        now = monotonic()
        for work in list(self.work):
            if now >= work.deadline.ends_at:
                work.expire()


_last_timer: Timer | None = None
"""Timer of the loop that was used last; most processes have one loop."""


def running_timer() -> Timer:
    """Return the timer of the running event loop."""
    global _last_timer  # noqa: PLW0603 - a map of weak references to loops is slower
    loop, timer = asyncio.get_running_loop(), _last_timer
    if timer is None or timer.loop is not loop:
        _last_timer = timer = Timer(loop)
    return timer


def time_limit_reached(factory: EventFactory, agent_id: str | None) -> e.LimitReached:
    """Return the event of the deadline, for work of an agent that it interrupted."""
    limit = factory.conversation.budget.limits.max_seconds
    return e.LimitReached(*factory.turn_head(agent_id), resource="time", used=limit, limit=limit)
