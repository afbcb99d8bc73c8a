"""Driver of one run: record and publish each event, and only then request the next one.

A driver holds the lease of its run. A task may ignore its cancellation, so nothing depends on its
end: another driver has another fence.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import InterfaceError, OperationalError

from designer.core import database_failure, in_database
from designer.instrumentation import report_delta
from designer.rehearsal.actions.commands import RunInstructions, instructions_of, value_of
from designer.rehearsal.actions.conversations import CommandGoneError, record_event
from designer.rehearsal.actions.event_rows import command_of
from designer.rehearsal.actions.leases import Lease, LeaseLostError, release_lease
from designer.rehearsal.live.command_refusals import refuse
from designer.rehearsal.live.sessions import (
    UnknownFormatError,
    break_points_of,
    keep,
    replayed,
    session_of,
)
from designer.rehearsal.live.streams import Stream, notify_events, notify_interrupted, notify_queue
from designer.rehearsal.live.wire_log import listener_of
from designer.rehearsal.live.workers import notify_workers
from orchestration.events import (
    Event,
    EventBase,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
    RunPaused,
    StopReason,
)
from orchestration.exceptions import BatonError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session

log = logging.getLogger(__name__)

Events = AsyncGenerator[Event, None]
T = TypeVar("T")

STEP_SECONDS = 15.0
"""Maximum seconds for recording and publishing one event."""

DATABASE_SECONDS = 8.0
"""Maximum seconds for repeating a call after failures of the connection to the database."""


class _HandedOverError(Exception):
    """The run was released after an event, for another process."""


@dataclass(eq=False)
class RunDriver:
    """Run of this process, with its lease."""

    lease: Lease
    is_loaded: bool = False
    """True if there is a session."""
    session: Session = field(init=False)
    recorded: set[str] = field(default_factory=set)
    """Keys of the commands with a recorded event."""
    task: asyncio.Task[None] | None = None
    deadline: float = 0.0
    """Monotonic time until which the lease is renewed without progress."""
    is_held: bool = True
    """True while the lease is needed: closing the events of a run may take long, or forever."""
    is_ending: bool = False
    """True if the run's end or pause is being recorded, which releases the lease."""
    is_leaving: bool = False
    """True if the run is released after its next recorded event."""
    is_unknown: bool = False
    """True if this version of Baton cannot replay the conversation."""

    @property
    def conversation_id(self) -> int:
        """Id of the conversation."""
        return self.lease.conversation_id

    @property
    def is_stalled(self) -> bool:
        """Report whether the run has made no progress for too long."""
        return self.is_held and monotonic() > self.deadline

    def start(self, then: Callable[[RunDriver], None]) -> None:
        """Drive the rest of the run in a task of its own; `then` is called after it.

        An interrupted run loses nothing: it continues after its lease has expired.
        """
        self.expect_progress(within=settings.STALL_SECONDS)
        self.task = task_of(self._drive(), name=f"run-{self.conversation_id}")
        self.task.add_done_callback(lambda task: then(self) if self._is_over(task) else None)

    def stop(self) -> None:
        """Give the lease up and cancel the task, without waiting for its end."""
        self.is_held = False
        if self.task is not None:
            self.task.cancel()

    def expect_progress(self, *, within: float) -> None:
        """Set the time limit of the next step."""
        self.deadline = monotonic() + within

    async def apply(self, instructions: RunInstructions) -> None:
        """Update the session's break points, wire log and queue."""
        points, is_logged, commands = instructions
        self.session.break_points = break_points_of(points)
        if is_logged is not (self.session.listen is not None):
            listener = listener_of(self.conversation_id)
            self.session.listen = listener if is_logged else None
        if not commands and not self.session.queued:
            return
        pending = {command.key for command in commands} - self.recorded
        self.session.queued[:] = [value for value in self.session.queued if value.id in pending]
        for command in commands:
            value = value_of(command)
            known = self.recorded.union(queued.id for queued in self.session.queued)
            if command.key in known or isinstance(value, InboundMessage):
                continue
            try:
                self.session.queue(value)
            except BatonError as refusal:
                await refuse(command, str(refusal))

    async def _drive(self) -> None:
        """Drive the rest of a run: record each event, notify readers, and request the next one."""
        lease = self.lease
        try:
            self.session = await session_of(self.conversation_id, lease.last_seq)
            self.is_loaded = True
            if lease.is_exhausted:
                await self._fail()
                return
            if lease.attempt > 1:
                log.warning("Conversation %s: attempt %s.", self.conversation_id, lease.attempt)
            async with Stream(self.conversation_id, lease.fence) as stream:
                while not await self._is_done(stream):
                    # The session contains unrecorded events of a withdrawn command.
                    self.session = await replayed(self.conversation_id)
            keep(self.conversation_id, self.session)
        except LeaseLostError:
            log.info("Conversation %s: another worker continues its run.", self.conversation_id)
        except _HandedOverError:
            await in_database(release_lease, lease=lease)
            await notify_workers()
        except UnknownFormatError as error:
            self.is_unknown = True
            log.warning("Conversation %s: %s", self.conversation_id, error)
            await in_database(release_lease, lease=lease)
        except AnyDatabaseError as error:
            if failure := database_failure(error):
                text = f"{failure.problem}: the run continues as soon as it can be recorded again."
                await notify_interrupted(self.conversation_id, text)
            raise
        finally:
            self.is_held = False

    async def _is_done(self, stream: Stream) -> bool:
        """Drive to the end of the run or to a pause; return False if a command was withdrawn."""
        await self.apply(await in_database(instructions_of, self.conversation_id))
        async with aclosing(self.session.resume()) as events:
            with self._holding():
                async for event in events:
                    self.expect_progress(within=STEP_SECONDS)
                    if isinstance(event, MessageDelta):
                        stream.add(event)
                        report_delta(self.conversation_id, event)
                    elif not await self._process(stream, event):
                        return False
                    if not self.is_ending:
                        self.expect_progress(within=settings.STALL_SECONDS)
        return True

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Hold the lease in the body."""
        self.is_held = True
        try:
            yield
        finally:
            self.is_held = False

    async def _process(self, stream: Stream, event: Event) -> bool:
        """Record and publish an event; return False if its command was withdrawn."""
        lease = self.lease
        if command_id := command_of(event):
            self.recorded.add(command_id)
        if isinstance(event, RunCompleted | RunFailed | RunPaused):
            self.is_ending = event.session_id == lease.session_id
        try:
            instructions = await _record_and_read(lease, event)
        except CommandGoneError:
            self.is_ending = False
            return False
        await _notify(lease, event)
        if self.is_leaving and not self.is_ending:
            raise _HandedOverError
        await self.apply(instructions)
        if isinstance(event, MessageCompleted | RunCompleted | RunFailed):
            stream.end_answer(event.run_id)
        elif event.voids_answer:
            stream.restart_answer(event.run_id)
        return True

    async def _fail(self) -> None:
        """End a run after all of its attempts were interrupted."""
        self.is_ending = True
        for event in _failure(self.session, self.lease.attempt - 1):
            await record(self.lease, event)

    def _is_over(self, task: asyncio.Task[None]) -> bool:
        """Log the error of the task; return False if it was cancelled."""
        if task.cancelled():
            return False
        match task.exception():
            case None:
                pass
            case AnyDatabaseError() as error:
                log.warning(
                    "Conversation %s: the database failed, the run is interrupted: %s",
                    self.conversation_id,
                    error,
                )
            case error:
                log.error("Conversation %s: run interrupted.", self.conversation_id, exc_info=error)
        return True


async def record(lease: Lease, event: Event) -> None:
    """Record an event, and notify the readers."""
    await _repeated(partial(record_event, lease=lease, event=event))
    await _notify(lease, event)


def task_of(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Create a task that outlives the request or socket that started it."""
    return asyncio.create_task(work, name=name, context=contextvars.Context())


async def _record_and_read(lease: Lease, event: Event) -> RunInstructions:
    """Record an event and return the current instructions."""

    def record_and_read() -> RunInstructions:
        record_event(lease=lease, event=event)
        return instructions_of(lease.conversation_id)

    return await _repeated(record_and_read)


async def _repeated(write: Callable[[], T]) -> T:
    """Write to the database; repeat it while the database is busy, full or away."""
    import stamina  # here because the import is slow

    async for attempt in stamina.retry_context(
        on=(OperationalError, InterfaceError), attempts=None, timeout=DATABASE_SECONDS, wait_max=1.0
    ):
        with attempt:
            return await in_database(write)
    raise AssertionError("stamina makes at least one attempt")


async def _notify(lease: Lease, event: Event) -> None:
    await notify_events(lease.conversation_id, event.seq)
    if command_of(event):
        await notify_queue(lease.conversation_id)


def _failure(session: Session, attempts: int) -> list[Event]:
    """Return the events that end a run after all of its attempts were interrupted."""
    *before, end = session.end_run(StopReason.FAILED)
    if not isinstance(end, RunCompleted):
        raise TypeError(f"A run ended with {end.type!r}.")
    head = {name: getattr(end, name) for name in EventBase.__struct_fields__}
    failed = RunFailed(
        **head,
        error="RunInterrupted",
        message=f"The server stopped {attempts} times at the same point of this run.",
        usage=end.usage,
        turns=end.turns,
        handoffs=end.handoffs,
        cut_off=end.cut_off,
    )
    return [*before, failed]
