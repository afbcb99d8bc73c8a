"""Tasks that drive runs: record and publish each event, and only then request the next one.

Each run is a task of this process, which holds a lease and renews it while the run makes progress.
A task may ignore its cancellation, so nothing depends on its end: another worker has another fence.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import InterfaceError, OperationalError, connection

from designer.core import database_failure, in_database
from designer.instrumentation import report_delta
from designer.rehearsal.actions.commands import RunInstructions, instructions_of, value_of
from designer.rehearsal.actions.conversations import (
    CommandGoneError,
    Lease,
    LeaseLostError,
    record_event,
    release_lease,
    renew_lease,
)
from designer.rehearsal.actions.event_rows import command_of
from designer.rehearsal.live.command_refusals import refuse
from designer.rehearsal.live.sessions import break_points_of, keep, replayed
from designer.rehearsal.live.streams import Stream, notify_events, notify_interrupted, notify_queue
from designer.rehearsal.live.wire_log import listener_of
from orchestration.cancellation import end_tasks
from orchestration.events import (
    Event,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
    RunPaused,
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


@dataclass(eq=False)
class Worker:
    """Run of this process."""

    lease: Lease
    session: Session
    then: Callable[[int], None]
    """Called with the conversation's id after the run."""
    recorded: set[str] = field(default_factory=set)
    """Keys of the commands with a recorded event."""
    task: asyncio.Task[None] | None = None
    deadline: float = 0.0
    """Monotonic time until which the lease is renewed without progress."""
    is_ending: bool = False
    """True if the run's end or pause is being recorded, which releases the lease."""

    def expect_progress(self, *, within: float) -> None:
        """Set the time limit of the next step."""
        self.deadline = monotonic() + within

    def stop(self) -> None:
        """Stop renewing the lease and cancel the task, without waiting for its end."""
        self.deadline = 0.0
        if self.task is not None:
            self.task.cancel()

    async def apply(self, instructions: RunInstructions) -> None:
        """Update the session's break points, wire log and queue."""
        points, is_logged, commands = instructions
        self.session.break_points = break_points_of(points)
        if is_logged is not (self.session.listen is not None):
            listener = listener_of(self.lease.conversation_id)
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


_WORKERS: dict[int, Worker] = {}


def start(lease: Lease, session: Session, then: Callable[[int], None]) -> None:
    """Drive the rest of a run in a task of its own; `then` is called after it.

    An interrupted run loses nothing: it continues after its lease has expired.
    """
    conversation_id = lease.conversation_id
    _WORKERS[conversation_id] = worker = Worker(lease, session, then)
    worker.task = task = task_of(_drive(worker), name=f"run-{conversation_id}")

    def finish(_: asyncio.Task[None]) -> None:
        if _WORKERS.get(conversation_id) is worker:
            del _WORKERS[conversation_id]
        if task.cancelled():
            return
        match task.exception():
            case None:
                pass
            case AnyDatabaseError() as error:
                log.warning(
                    "Conversation %s: the database failed, the run is interrupted: %s",
                    conversation_id,
                    error,
                )
            case error:
                log.error("Conversation %s: run interrupted.", conversation_id, exc_info=error)
        then(conversation_id)

    task.add_done_callback(finish)


def is_driven(conversation_id: int) -> bool:
    """Report whether a task of this process drives the conversation's run."""
    return conversation_id in _WORKERS


def let_go(conversation_id: int) -> None:
    """Stop driving a run that another worker has taken."""
    worker = _WORKERS.pop(conversation_id, None)
    if worker is not None:
        worker.stop()


async def update(conversation_id: int) -> None:
    """Apply the current instructions to a run of this process at once."""
    worker = _WORKERS.get(conversation_id)
    if worker is not None:
        await worker.apply(await in_database(instructions_of, conversation_id))


async def stop_driving() -> None:
    """Release every run, so that another process can continue it at once; then end the tasks."""
    workers = list(_WORKERS.values())
    _WORKERS.clear()
    for worker in workers:
        worker.stop()
    await in_database(_release, [worker.lease for worker in workers])
    await end_tasks(worker.task for worker in workers if worker.task is not None)


async def record(lease: Lease, event: Event) -> None:
    """Record an event, and notify the readers."""
    await _repeated(partial(record_event, lease=lease, event=event))
    await _notify(lease, event)


def task_of(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Create a task that outlives the request or socket that started it."""
    return asyncio.create_task(work, name=name, context=contextvars.Context())


async def _drive(worker: Worker) -> None:
    """Drive the rest of a run: record each event, notify readers, and request the next one."""
    lease, conversation_id = worker.lease, worker.lease.conversation_id
    try:
        async with Stream(conversation_id, lease.fence) as stream:
            while not await _is_done(worker, stream):
                # The session contains events of a withdrawn command, which were not recorded.
                worker.session = await replayed(conversation_id)
        keep(conversation_id, worker.session)
    except LeaseLostError:
        log.info("Conversation %s: another worker continues its run.", conversation_id)
    except AnyDatabaseError as error:
        if failure := database_failure(error):
            text = f"{failure.problem}: the run continues as soon as it can be recorded again."
            await notify_interrupted(conversation_id, text)
        raise


async def _is_done(worker: Worker, stream: Stream) -> bool:
    """Drive to the end of the run or to a pause; return False if a command was withdrawn."""
    await worker.apply(await in_database(instructions_of, worker.lease.conversation_id))
    # The renewal ends first: closing the events may take long, or forever.
    async with aclosing(worker.session.resume()) as events:
        with _renewed(worker):
            async for event in events:
                worker.expect_progress(within=STEP_SECONDS)
                if isinstance(event, MessageDelta):
                    stream.add(event)
                    report_delta(worker.lease.conversation_id, event)
                elif not await _process(worker, stream, event):
                    return False
                if not worker.is_ending:
                    worker.expect_progress(within=settings.STALL_SECONDS)
    return True


async def _process(worker: Worker, stream: Stream, event: Event) -> bool:
    """Record and publish an event; return False if its command was withdrawn."""
    lease = worker.lease
    if command_id := command_of(event):
        worker.recorded.add(command_id)
    if isinstance(event, RunCompleted | RunFailed | RunPaused):
        worker.is_ending = event.session_id == lease.session_id
    try:
        instructions = await _record_and_read(lease, event)
    except CommandGoneError:
        worker.is_ending = False
        return False
    await _notify(lease, event)
    await worker.apply(instructions)
    if isinstance(event, MessageCompleted | RunCompleted | RunFailed):
        stream.end_answer(event.run_id)
    elif event.voids_answer:
        stream.restart_answer(event.run_id)
    return True


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


@contextmanager
def _renewed(worker: Worker) -> Iterator[None]:
    """Renew the lease of a run in the background."""
    worker.expect_progress(within=settings.STALL_SECONDS)
    renewal = asyncio.create_task(_renew(worker))
    try:
        yield
    finally:
        renewal.cancel()


async def _renew(worker: Worker) -> None:
    """Renew the lease while the run makes progress; stop the worker if the lease is lost."""
    conversation_id = worker.lease.conversation_id
    is_held = True
    while is_held:
        await asyncio.sleep(settings.LEASE_SECONDS / 3)
        if monotonic() > worker.deadline:
            log.warning("Conversation %s: its run makes no progress.", conversation_id)
            break
        with suppress(AnyDatabaseError):  # the next attempt is before the lease expires
            is_held = worker.is_ending or await in_database(renew_lease, lease=worker.lease)
    worker.stop()
    if _WORKERS.get(conversation_id) is worker:
        del _WORKERS[conversation_id]
        worker.then(conversation_id)


def _release(leases: Iterable[Lease]) -> None:
    """Release runs; those that a failure leaves are continued after their leases have expired."""
    with suppress(AnyDatabaseError):
        for lease in leases:
            release_lease(lease=lease)


@atexit.register
def _release_all() -> None:
    """Release the runs of a process that ends without `stop_driving`."""
    if _WORKERS:
        _release([worker.lease for worker in _WORKERS.values()])
        connection.close()
