"""Tasks that drive runs: record and publish each event, and only then request the next one.

Each run is a task of this process, which holds a lease and renews it while a model answers.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection

from designer.core import in_database
from designer.rehearsal.actions.commands import RunInstructions, instructions_of, value_of
from designer.rehearsal.actions.conversations import (
    CommandGoneError,
    Lease,
    LeaseLostError,
    command_of,
    record_event,
    release_lease,
    renew_lease,
)
from designer.rehearsal.live.command_refusals import refuse
from designer.rehearsal.live.sessions import break_points_of, keep, replayed
from designer.rehearsal.live.streams import Stream, notify_events, notify_queue
from designer.rehearsal.live.wire_log import listener_of
from orchestration.events import (
    Event,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
)
from orchestration.exceptions import BatonError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session

log = logging.getLogger(__name__)

Events = AsyncGenerator[Event, None]


@dataclass(eq=False)
class Worker:
    """Run of this process."""

    lease: Lease
    session: Session
    recorded: set[str] = field(default_factory=set)
    """Keys of the commands with a recorded event."""
    task: asyncio.Task[None] | None = None

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
    _WORKERS[conversation_id] = worker = Worker(lease, session)
    worker.task = task = task_of(_drive(worker), name=f"run-{conversation_id}")

    def finish(_: asyncio.Task[None]) -> None:
        if _WORKERS.get(conversation_id) is worker:
            del _WORKERS[conversation_id]
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            log.error("Conversation %s: run interrupted.", conversation_id, exc_info=error)
        then(conversation_id)

    task.add_done_callback(finish)


def is_driven(conversation_id: int) -> bool:
    """Report whether a task of this process drives the conversation's run."""
    return conversation_id in _WORKERS


def let_go(conversation_id: int) -> None:
    """Stop driving a run that another worker has taken."""
    worker = _WORKERS.pop(conversation_id, None)
    if worker is not None and worker.task is not None:
        worker.task.cancel()


async def update(conversation_id: int) -> None:
    """Apply the current instructions to a run of this process at once."""
    worker = _WORKERS.get(conversation_id)
    if worker is not None:
        await worker.apply(await in_database(instructions_of, conversation_id))


async def stop_driving() -> None:
    """Release every run, so that another process can continue it at once."""
    tasks = [worker.task for worker in _WORKERS.values() if worker.task is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def record(lease: Lease, event: Event) -> None:
    """Record an event, and notify the readers."""
    await in_database(record_event, lease=lease, event=event)
    await _notify(lease, event)


def task_of(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """Create a task that outlives the request or socket that started it."""
    return asyncio.create_task(work, name=name, context=contextvars.Context())


async def _drive(worker: Worker) -> None:
    """Drive the rest of a run: record each event, notify readers, and request the next one."""
    lease, conversation_id = worker.lease, worker.lease.conversation_id
    renewal = asyncio.create_task(_renew(lease, asyncio.current_task()))
    try:
        async with Stream(conversation_id, lease.fence) as stream:
            while not await _is_done(worker, stream):
                # The session contains events of a withdrawn command, which were not recorded.
                worker.session = await replayed(conversation_id)
        keep(conversation_id, worker.session)
    except LeaseLostError:
        log.info("Conversation %s: another worker continues its run.", conversation_id)
    except asyncio.CancelledError:
        await in_database(release_lease, lease=lease)
        raise
    finally:
        renewal.cancel()


async def _is_done(worker: Worker, stream: Stream) -> bool:
    """Drive to the end of the run or to a pause; return False if a command was withdrawn."""
    lease = worker.lease
    await worker.apply(await in_database(instructions_of, lease.conversation_id))
    async with aclosing(worker.session.resume()) as events:
        async for event in events:
            if isinstance(event, MessageDelta):
                stream.add(event)
                continue
            if command_id := command_of(event):
                worker.recorded.add(command_id)
            try:
                instructions = await in_database(_record_and_read, lease, event)
            except CommandGoneError:
                return False
            await _notify(lease, event)
            await worker.apply(instructions)
            if isinstance(event, MessageCompleted | RunCompleted | RunFailed):
                stream.end_answer(event.run_id)
            elif event.voids_answer:
                stream.restart_answer(event.run_id)
    return True


async def _notify(lease: Lease, event: Event) -> None:
    await notify_events(lease.conversation_id, event.seq)
    if command_of(event):
        await notify_queue(lease.conversation_id)


async def _renew(lease: Lease, worker: asyncio.Task[None] | None) -> None:
    """Renew the lease while the worker waits; cancel the worker if the lease is lost."""
    while True:
        await asyncio.sleep(settings.LEASE_SECONDS / 3)
        with suppress(AnyDatabaseError):  # the next attempt is before the lease expires
            if not await in_database(renew_lease, lease=lease):
                if worker is not None:
                    worker.cancel()
                return


def _record_and_read(lease: Lease, event: Event) -> RunInstructions:
    """Record an event, and return the current instructions for the run."""
    record_event(lease=lease, event=event)
    return instructions_of(lease.conversation_id)


@atexit.register
def _release_all() -> None:
    """Release the runs of a server that stops in good order."""
    if not _WORKERS:
        return
    with suppress(AnyDatabaseError):
        for worker in _WORKERS.values():
            release_lease(lease=worker.lease)
        connection.close()
