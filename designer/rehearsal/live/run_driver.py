"""Driving runs: record, publish, and only then ask for what comes next.

Each run is a task of its own in this process. It holds a lease and renews it while a model thinks.
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
from designer.rehearsal.actions.commands import Wanted, value_of, wanted_of
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
from designer.rehearsal.live.streams import Stream, ring, ring_queue
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
    """A run of this process."""

    lease: Lease
    session: Session
    taken: set[str] = field(default_factory=set)
    """The commands of which something is recorded."""
    task: asyncio.Task[None] | None = None

    async def take_in(self, wanted: Wanted) -> None:
        """Give the engine what is wanted of the run, and take from it what no longer is."""
        points, is_logged, commands = wanted
        self.session.break_points = break_points_of(points)
        if is_logged is not (self.session.listen is not None):
            heard_by = listener_of(self.lease.conversation_id)
            self.session.listen = heard_by if is_logged else None
        if not commands and not self.session.queued:
            return
        waiting = {command.key for command in commands} - self.taken
        self.session.queued[:] = [one for one in self.session.queued if one.id in waiting]
        for command in commands:
            value = value_of(command)
            known = self.taken.union(one.id for one in self.session.queued)
            if command.key in known or isinstance(value, InboundMessage):
                continue
            try:
                self.session.queue(value)
            except BatonError as refusal:
                await refuse(command, str(refusal))


_WORKERS: dict[int, Worker] = {}


def start(lease: Lease, session: Session, then: Callable[[int], None]) -> None:
    """Do the rest of a run, in a task of its own; `then` sees to what comes after it.

    Whatever interrupts the run, nothing is lost: it is tried again when its lease has run out.
    """
    conversation_id = lease.conversation_id
    _WORKERS[conversation_id] = worker = Worker(lease, session)
    worker.task = task = task_of(_drive(worker), name=f"run-{conversation_id}")

    def forget(_: asyncio.Task[None]) -> None:
        if _WORKERS.get(conversation_id) is worker:
            del _WORKERS[conversation_id]
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            log.error("Conversation %s: run interrupted.", conversation_id, exc_info=error)
        then(conversation_id)

    task.add_done_callback(forget)


def is_driven(conversation_id: int) -> bool:
    """Report whether a task of this process drives the conversation's run."""
    return conversation_id in _WORKERS


def let_go(conversation_id: int) -> None:
    """Drive the conversation's run no more: somebody else has it now."""
    worker = _WORKERS.pop(conversation_id, None)
    if worker is not None and worker.task is not None:
        worker.task.cancel()


async def look(conversation_id: int) -> None:
    """Let a run that is driven here know at once what is wanted of it."""
    worker = _WORKERS.get(conversation_id)
    if worker is not None:
        await worker.take_in(await in_database(wanted_of, conversation_id))


async def stop_driving() -> None:
    """Let go of every run, so that another process takes it up at once."""
    tasks = [worker.task for worker in _WORKERS.values() if worker.task is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def record(lease: Lease, event: Event) -> None:
    """Keep an event, and tell everyone that it is there."""
    await in_database(record_event, lease=lease, event=event)
    await _tell(lease, event)


def task_of(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """A task apart from the request or socket it comes from: it outlives their context."""
    return asyncio.create_task(work, name=name, context=contextvars.Context())


async def _drive(worker: Worker) -> None:
    """Do the rest of a run: record each event, ring, and ask for the next."""
    lease, conversation_id = worker.lease, worker.lease.conversation_id
    renewal = asyncio.create_task(_renew(lease, asyncio.current_task()))
    try:
        async with Stream(conversation_id, lease.fence) as stream:
            while not await _is_done(worker, stream):
                # What the engine took in was withdrawn as it did: that has not happened.
                worker.session = await replayed(conversation_id)
        keep(conversation_id, worker.session)
    except LeaseLostError:
        log.info("Conversation %s: its run goes on elsewhere.", conversation_id)
    except asyncio.CancelledError:
        await in_database(release_lease, lease=lease)
        raise
    finally:
        renewal.cancel()


async def _is_done(worker: Worker, stream: Stream) -> bool:
    """Drive to the end of the run, or to a pause; False where a command was withdrawn."""
    lease = worker.lease
    await worker.take_in(await in_database(wanted_of, lease.conversation_id))
    async with aclosing(worker.session.resume()) as events:
        async for event in events:
            if isinstance(event, MessageDelta):
                stream.add(event)
                continue
            if command_id := command_of(event):
                worker.taken.add(command_id)
            try:
                wanted = await in_database(_record_and_look, lease, event)
            except CommandGoneError:
                return False
            await _tell(lease, event)
            await worker.take_in(wanted)
            if isinstance(event, MessageCompleted | RunCompleted | RunFailed):
                stream.end_answer(event.run_id)
            elif event.voids_answer:
                stream.begin_anew(event.run_id)
    return True


async def _tell(lease: Lease, event: Event) -> None:
    await ring(lease.conversation_id, event.seq)
    if command_of(event):
        await ring_queue(lease.conversation_id)


async def _renew(lease: Lease, worker: asyncio.Task[None] | None) -> None:
    """Hold the lease while the worker waits; cancel the worker where it is lost."""
    while True:
        await asyncio.sleep(settings.LEASE_SECONDS / 3)
        with suppress(AnyDatabaseError):  # the next try comes before the lease runs out
            if not await in_database(renew_lease, lease=lease):
                if worker is not None:
                    worker.cancel()
                return


def _record_and_look(lease: Lease, event: Event) -> Wanted:
    """Keep an event, and see what is wanted of the run from here on."""
    record_event(lease=lease, event=event)
    return wanted_of(lease.conversation_id)


@atexit.register
def _let_go_of_all() -> None:
    """A server that stops in good order leaves its runs to whoever comes next."""
    if not _WORKERS:
        return
    with suppress(AnyDatabaseError):
        for worker in _WORKERS.values():
            release_lease(lease=worker.lease)
        connection.close()
