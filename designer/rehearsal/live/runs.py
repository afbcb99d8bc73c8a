"""Next work of a conversation: start, continue, take over or end its run.

After a process dies, the lease of its run expires, and any process continues the run: at its
start, at its periodic check or for a reader. The commands of the queue are processed one after the
other, by the first process that reads them.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.utils import timezone

from designer.core import PerEventLoop, in_database
from designer.models import Command, Conversation
from designer.rehearsal.actions.commands import standing_of, value_of, withdraw_command
from designer.rehearsal.actions.conversations import (
    CommandGoneError,
    Lease,
    LeaseLostError,
    MessageRepeatedError,
    RunUnderWayError,
    seize_lease,
    take_lease,
    take_steps,
)
from designer.rehearsal.actions.orphans import orphaned_conversations
from designer.rehearsal.live.command_refusals import is_awaited, refuse
from designer.rehearsal.live.remote_tools import close_remote_tools
from designer.rehearsal.live.run_driver import (
    is_driven,
    let_go,
    record,
    start,
    stop_driving,
    task_of,
)
from designer.rehearsal.live.sessions import keep, replayed, session_of
from designer.rehearsal.live.streams import notify_events, notify_queue, streams_of
from orchestration.cancellation import end_tasks
from orchestration.control import HandBack
from orchestration.definition import HUMAN
from orchestration.events import Event, EventBase, RunCompleted, RunFailed, StopReason
from orchestration.exceptions import BatonError, SteeringError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Maximum seconds between two checks for orphaned runs."""

MAX_ORPHANS = 200
"""Maximum number of orphaned runs that one check continues."""

TRIES = 5
"""Number of attempts to end a run while others change it."""


class NotEndedError(SteeringError):
    """A run continued at each attempt to end it."""

    def __init__(self) -> None:
        super().__init__("The run could not be ended, because it continued each time. Try again.")


_WATCHES: dict[int, asyncio.Task[None]] = {}
_CALLED: set[int] = set()
"""Conversations requested again during their check."""

_Locks = WeakValueDictionary[int, asyncio.Lock]

_TURNS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
_ENDS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
"""Locks of conversations within this process."""


def attend(conversation_id: int) -> None:
    """Process the queue and continue an unfinished run, in a task of this process.

    A run of a dead process continues when its lease has expired.
    """
    if is_driven(conversation_id):
        return
    if conversation_id in _WATCHES:
        _CALLED.add(conversation_id)
        return
    task = task_of(_watch(conversation_id), name=f"watch-{conversation_id}")
    _WATCHES[conversation_id] = task
    task.add_done_callback(lambda _: _forget(conversation_id, task))


async def process_queue(conversation_id: int) -> None:
    """Process the pending commands, as far as possible now."""
    async with _TURNS.get().setdefault(conversation_id, asyncio.Lock()):
        while await _process_next(conversation_id):
            pass


async def stop(conversation_id: int, by: str = "") -> bool:
    """End the current run, in any process; return False if there is none.

    `by` is the name of the sender. Raises NotEndedError if the run continues at each attempt.
    """
    # Without the lock, several requests in this process would take the lease from each other.
    async with _ENDS.get().setdefault(conversation_id, asyncio.Lock()):
        for _ in range(TRIES):
            lease = await in_database(seize_lease, conversation_id=conversation_id)
            if lease is None:
                return False
            with suppress(LeaseLostError):  # it continued or was taken at the same time
                return await _end(conversation_id, lease, by)
    raise NotEndedError


async def _end(conversation_id: int, lease: Lease, by: str) -> bool:
    """End a run with its lease; return False if it has ended already. Raises LeaseLostError."""
    answers = {delta.run_id: delta.text for delta in streams_of(conversation_id)}
    let_go(conversation_id)
    session = await replayed(conversation_id)
    if not session.unfinished:
        return False
    # An answer that another process streams is not known here.
    if (run := session.conversation.run) is not None and not run.received:
        await record(lease, await _received(session))
    for event in session.end_run(StopReason.CANCELLED, partial=answers, by=by):
        await record(lease, event)
    attend(conversation_id)
    return True


async def _received(session: Session) -> Event:
    """Return the event of the message that started a run, which is recorded before its end."""
    async with aclosing(session.resume()) as events:
        return await anext(events)


async def shut_down() -> None:
    """Release every run so that another process can continue it at once, and stop all tasks."""
    watches = list(_WATCHES.values())
    for watch in watches:
        watch.cancel()  # so that it takes no released run
    await stop_driving()
    await end_tasks(watches)
    await close_remote_tools()


# The queue


async def _process_next(conversation_id: int) -> bool:
    """Process the next command; return False if there is none, or if a run has started."""
    standing = await in_database(standing_of, conversation_id)
    if standing is None or standing.next is None:
        return False
    command = standing.next
    session = await session_of(conversation_id, standing.last_seq)
    if session.seq != standing.last_seq:
        return True  # another event was recorded meanwhile: check again before any refusal
    try:
        events = await _command_events(session, command)
    except BatonError as refusal:
        keep(conversation_id, session)
        await refuse(command, str(refusal))
        return True
    try:
        lease = await in_database(
            take_steps, conversation_id=conversation_id, events=events, command=command
        )
    except (RunUnderWayError, CommandGoneError):
        return True  # the session contains unrecorded events, so it is dropped
    except MessageRepeatedError:
        await in_database(withdraw_command, conversation_id=conversation_id, key=command.key)
        return True
    if lease is not None:
        start(lease, session, attend)
    else:
        keep(conversation_id, session)
    await notify_events(conversation_id, events[-1].seq)
    if not is_awaited(command):
        await notify_queue(conversation_id)
    return lease is None


async def _command_events(session: Session, command: Command) -> list[Event]:
    """Return the events of a command outside of a run; the session includes them."""
    value = value_of(command)
    if isinstance(value, InboundMessage):
        async with aclosing(session.receive(value)) as events:
            return [await anext(events)]
    steering = list(session.steer(value))
    if isinstance(value, HandBack) and _customer_waits(session):
        async with aclosing(session.go_on()) as events:
            steering.append(await anext(events))
    return steering


def _customer_waits(session: Session) -> bool:
    """Report whether the last message waits for the human's answer."""
    for message in reversed(session.history):
        if message.role == "user" and not message.note:
            return True
        if message.role == "assistant" and message.agent_id == HUMAN:
            return False
    return False


# Interrupted runs


async def continue_orphans() -> None:
    """Continue orphaned runs and commands at once and at intervals, although nobody reads them."""
    while True:
        try:
            for conversation_id in await in_database(orphaned_conversations, limit=MAX_ORPHANS):
                attend(conversation_id)
        except AnyDatabaseError as error:
            log.warning("Orphaned runs were not checked, because the database failed: %s", error)
        await asyncio.sleep(min(settings.LEASE_SECONDS / 3, CHECK_SECONDS))


async def _watch(conversation_id: int) -> None:
    """Process the queue, wait until the run is over or its lease has expired, and continue it."""
    while True:
        _CALLED.discard(conversation_id)
        await process_queue(conversation_id)
        if is_driven(conversation_id):
            return
        seconds = await in_database(_seconds_left, conversation_id)
        if seconds is None:
            return
        if seconds > 0:
            await asyncio.sleep(seconds + 0.05)
            continue
        lease = await in_database(take_lease, conversation_id=conversation_id)
        if lease is not None:
            with suppress(LeaseLostError):  # another worker continues the run
                await _continue(lease)


def _forget(conversation_id: int, watch: asyncio.Task[None]) -> None:
    """Remove a finished watch; start another one if it was requested meanwhile."""
    _WATCHES.pop(conversation_id, None)
    was_called = conversation_id in _CALLED
    _CALLED.discard(conversation_id)
    if watch.cancelled():
        return
    match watch.exception():
        case None:
            if was_called:
                attend(conversation_id)
        case Conversation.DoesNotExist():
            pass  # deleted
        case AnyDatabaseError() as error:  # the next check repeats it
            log.warning("Conversation %s: the database failed: %s", conversation_id, error)
        case error:
            log.error("Conversation %s: its watch failed.", conversation_id, exc_info=error)


async def _continue(lease: Lease) -> None:
    session = await replayed(lease.conversation_id)
    if lease.is_exhausted:
        for event in _failure(session, lease.attempt - 1):
            await record(lease, event)
    else:
        log.warning(
            "Conversation %s: run continued, attempt %s.", lease.conversation_id, lease.attempt
        )
        start(lease, session, attend)


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


def _seconds_left(conversation_id: int) -> float | None:
    """Return the seconds until the run's lease expires; None if it is paused, or without a run."""
    running = Conversation.objects.filter(pk=conversation_id, is_paused=False).exclude(run_id="")
    row = running.values_list("lease_until").first()
    if row is None:
        return None
    (end,) = row
    return max(0.0, (end - timezone.now()).total_seconds()) if end else 0.0
