"""Driving runs: record, publish, and only then ask for what comes next.

Each run is a task of its own in this process. It holds a lease and renews it while a model thinks;
where the process dies, the lease runs out, and whoever reads the conversation has it taken up.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import logging
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection
from django.utils import timezone

from designer.actions.conversations import (
    Lease,
    LeaseLostError,
    MessageRepeatedError,
    RunUnderWayError,
    begin_run,
    record_event,
    release_lease,
    renew_lease,
    seize_lease,
    take_lease,
)
from designer.live.database import in_database
from designer.live.providers import connected_providers
from designer.live.streams import Stream, ring, streams_of
from designer.models import Conversation, RecordedEvent
from orchestration.events import (
    Event,
    Fact,
    InputRequested,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
    RunStarted,
    StopReason,
)
from orchestration.messages import InboundMessage
from orchestration.providers.base import Provider
from orchestration.session import Session

log = logging.getLogger(__name__)

Events = AsyncGenerator[Event, None]


@dataclass(frozen=True)
class _Worker:
    """A run of this process: its task and its lease."""

    task: asyncio.Task[None]
    lease: Lease


_WORKERS: dict[int, _Worker] = {}
_WATCHES: dict[int, asyncio.Task[None]] = {}


async def say(conversation_id: int, message: InboundMessage) -> None:
    """Record a message and start its run; return as soon as the message is safe.

    A message that is recorded already starts nothing. Raises RunUnderWayError while another
    run is on.
    """
    session = await _session(conversation_id)
    if session.unfinished:
        if not await in_database(_is_recorded, conversation_id, message.id):
            raise RunUnderWayError
        return
    async with aclosing(session.receive(message)) as events:
        first = await anext(events)
        if not isinstance(first, RunStarted):
            raise TypeError(f"A run began with {first.type!r}.")
        try:
            lease = await in_database(begin_run, conversation_id=conversation_id, event=first)
        except MessageRepeatedError:
            return
    _start(lease, session)
    await ring(conversation_id, first.seq)


async def stop(conversation_id: int) -> bool:
    """End the run that is on, whoever drives it; False where none is, or someone else ends it."""
    lease = await in_database(seize_lease, conversation_id=conversation_id)
    if lease is None:
        return False
    said = {one.run_id: one.text for one in streams_of(conversation_id)}
    worker = _WORKERS.get(conversation_id)
    if worker is not None:
        worker.task.cancel()
    session = await _session(conversation_id)
    if not session.unfinished:
        return False
    # Of an answer that streams elsewhere, nothing is known here.
    try:
        for event in session.end_run(StopReason.CANCELLED, said=said):
            await _record(lease, event)
    except LeaseLostError:
        return False
    return True


def attend(conversation_id: int) -> None:
    """See to it that an unfinished run goes on, at the latest when its lease has run out."""
    if conversation_id in _WORKERS or conversation_id in _WATCHES:
        return
    task = _task(_watch(conversation_id), name=f"watch-{conversation_id}")
    _WATCHES[conversation_id] = task
    task.add_done_callback(lambda _: _WATCHES.pop(conversation_id, None))


async def shut_down() -> None:
    """Stop driving, and let go of every run so that another process takes it up at once."""
    tasks = [*_WATCHES.values(), *(worker.task for worker in _WORKERS.values())]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _start(lease: Lease, session: Session) -> None:
    conversation_id = lease.conversation_id
    task = _task(_drive(lease, session), name=f"run-{conversation_id}")
    _WORKERS[conversation_id] = worker = _Worker(task, lease)

    def forget(_: asyncio.Task[None]) -> None:
        if _WORKERS.get(conversation_id) is worker:
            del _WORKERS[conversation_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            # Nothing was lost; the run is tried again when its lease has run out.
            log.error("Conversation %s: run interrupted.", conversation_id, exc_info=error)
            attend(conversation_id)

    task.add_done_callback(forget)


def _task(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    """A task apart from the request or socket it comes from: it outlives their context."""
    return asyncio.create_task(work, name=name, context=contextvars.Context())


async def _drive(lease: Lease, session: Session) -> None:
    """Do the rest of a run: record each event, ring, and ask for the next."""
    renewal = asyncio.create_task(_renew(lease, asyncio.current_task()))
    try:
        stream = Stream(lease.conversation_id, lease.fence)
        async with stream, aclosing(session.resume()) as events:
            await _record_all(lease, events, stream)
    except LeaseLostError:
        log.info("Conversation %s: its run goes on elsewhere.", lease.conversation_id)
    except asyncio.CancelledError:
        await in_database(release_lease, lease=lease)
        raise
    finally:
        renewal.cancel()


async def _record_all(lease: Lease, events: Events, stream: Stream) -> None:
    async for event in events:
        if isinstance(event, MessageDelta):
            stream.add(event)
            continue
        await _record(lease, event)
        if isinstance(event, MessageCompleted | RunCompleted | RunFailed):
            stream.end_answer(event.run_id)


async def _record(lease: Lease, event: Event) -> None:
    await in_database(record_event, lease=lease, event=event)
    await ring(lease.conversation_id, event.seq)


async def _renew(lease: Lease, worker: asyncio.Task[None] | None) -> None:
    """Hold the lease while the worker waits; cancel the worker where it is lost."""
    while True:
        await asyncio.sleep(settings.LEASE_SECONDS / 3)
        with suppress(AnyDatabaseError):  # the next try comes before the lease runs out
            if not await in_database(renew_lease, lease=lease):
                if worker is not None:
                    worker.cancel()
                return


async def _watch(conversation_id: int) -> None:
    """Wait until the run is over or its lease has run out; then take it up."""
    while (seconds := await in_database(_seconds_left, conversation_id)) is not None:
        if seconds > 0:
            await asyncio.sleep(seconds + 0.05)
            continue
        lease = await in_database(take_lease, conversation_id=conversation_id)
        if lease is not None:
            with suppress(LeaseLostError):  # who took it over sees to the run
                await _take_up(lease)
            return


async def _take_up(lease: Lease) -> None:
    session = await _session(lease.conversation_id)
    if not session.unfinished:
        return
    if lease.is_exhausted:
        for event in _given_up(session, lease.attempt - 1):
            await _record(lease, event)
    else:
        log.warning(
            "Conversation %s: run taken up, attempt %s.", lease.conversation_id, lease.attempt
        )
        _start(lease, session)


def _given_up(session: Session, attempts: int) -> list[Event]:
    """The end of a run that took its process down every time."""
    *before, end = session.end_run(StopReason.FAILED)
    if not isinstance(end, RunCompleted):
        raise TypeError(f"A run ended with {end.type!r}.")
    head = {name: getattr(end, name) for name in Fact.__struct_fields__}
    failed = RunFailed(
        **head,
        error="RunInterrupted",
        message=f"The server stopped in the middle of this run {attempts} times.",
        usage=end.usage,
        turns=end.turns,
        handoffs=end.handoffs,
        cut_off=end.cut_off,
    )
    return [*before, failed]


async def _session(conversation_id: int) -> Session:
    """The conversation as its journal tells it."""
    return await in_database(_replayed, conversation_id, connected_providers())


# Reading; each in a thread of the database


def _replayed(conversation_id: int, providers: Mapping[str, Provider]) -> Session:
    conversation = Conversation.objects.get(pk=conversation_id)
    return Session(
        conversation.rehearsed(),
        conversation.events(),
        session_id=conversation.session_id,
        providers=providers,
        ask_user=_later,
        pipelines=conversation.pipeline_for,
    )


async def _later(_: InputRequested) -> None:
    """The user answers with the next message."""


def _is_recorded(conversation_id: int, message_id: str) -> bool:
    rows = RecordedEvent.objects.filter(conversation_id=conversation_id)
    return rows.filter(key=f"message:{message_id}").exists()


def _seconds_left(conversation_id: int) -> float | None:
    """Until the lease of the run runs out; None where no run is on."""
    on = Conversation.objects.filter(pk=conversation_id).exclude(run_id="")
    ends = on.values_list("lease_until", flat=True)
    if not ends:
        return None
    return max(0.0, (ends[0] - timezone.now()).total_seconds()) if ends[0] else 0.0


@atexit.register
def _let_go() -> None:
    """A server that stops in good order leaves its runs to whoever comes next."""
    if not _WORKERS:
        return
    with suppress(AnyDatabaseError):
        for worker in _WORKERS.values():
            release_lease(lease=worker.lease)
        connection.close()
