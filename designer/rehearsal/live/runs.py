"""Next work of a conversation: process its queue, start, continue or end its run.

A message or command is processed by the process that receives it, or after the current run by the
driver's process. A started run waits for a claim: of this process, or of a worker.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from weakref import WeakValueDictionary

from django.conf import settings

from designer.core import PerEventLoop, in_database
from designer.models import Command, Conversation
from designer.rehearsal.actions.commands import (
    instructions_of,
    standing_of,
    value_of,
    withdraw_command,
)
from designer.rehearsal.actions.conversations import (
    CommandGoneError,
    MessageRepeatedError,
    RunUnderWayError,
    take_steps,
)
from designer.rehearsal.actions.leases import Lease, LeaseLostError, seize_lease
from designer.rehearsal.live.command_refusals import is_awaited, refuse
from designer.rehearsal.live.remote_tools import close_remote_tools
from designer.rehearsal.live.run_driver import record
from designer.rehearsal.live.run_loop import RunLoop
from designer.rehearsal.live.sessions import keep, replayed, session_of
from designer.rehearsal.live.streams import (
    notify_events,
    notify_queue,
    notify_queued,
    notify_variants,
    streams_of,
)
from designer.rehearsal.live.workers import (
    notify_reader,
    notify_updated,
    notify_workers,
    reply_answers,
    take_answers,
)
from orchestration.control import HandBack
from orchestration.definition import HUMAN
from orchestration.events import Event, RunStarted, StopReason
from orchestration.exceptions import BatonError, SteeringError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session

TRIES = 5
"""Number of attempts to end a run while others change it."""


class NotEndedError(SteeringError):
    """A run continued at each attempt to end it."""

    def __init__(self) -> None:
        super().__init__("The run could not be ended, because it continued each time. Try again.")


_Locks = WeakValueDictionary[int, asyncio.Lock]

_TURNS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
_ENDS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
"""Locks of conversations within this process."""


async def work(concurrency: int | None = None) -> None:
    """Claim and drive runs in this process until `shut_down`, at most `concurrency` at once."""
    loop = _LOOPS.get()
    loop.limit = concurrency
    await loop.sweep()


def wake() -> None:
    """Claim queued runs now, if this process drives runs."""
    loop = _LOOPS.get()
    if settings.RUNS == "here" or loop.is_working:
        loop.wake()


async def announce() -> None:
    """Announce queued runs to this process and to the workers."""
    wake()
    if settings.RUNS == "workers":
        await notify_workers()


def capacity() -> tuple[int, int]:
    """Return the number of runs that this process drives, and their maximum number."""
    loop = _LOOPS.get()
    return len(loop.drivers), loop.capacity


async def update(conversation_id: int) -> None:
    """Apply the current instructions to a run at once, in this process or in a worker."""
    if conversation_id not in _LOOPS.get().drivers and settings.RUNS == "workers":
        await notify_updated(conversation_id)
    else:
        await update_here(conversation_id)


async def request_answers(conversation: Conversation) -> None:
    """Request the answers in progress from the worker of a run, for a new reader."""
    is_running = conversation.ready_since is not None
    if settings.RUNS == "workers" and is_running and conversation.pk not in _LOOPS.get().drivers:
        await notify_reader(conversation.pk)


async def update_here(conversation_id: int) -> None:
    """Apply the current instructions to a run of this process at once."""
    if (driver := _LOOPS.get().drivers.get(conversation_id)) is not None and driver.is_loaded:
        await driver.apply(await in_database(instructions_of, conversation_id))


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
    answers = _unfinished_answers(conversation_id)
    is_elsewhere = lease.is_seized and conversation_id not in _LOOPS.get().drivers
    if is_elsewhere and settings.RUNS == "workers":  # other servers do not listen
        answers = await take_answers(conversation_id, lease.fence - 1)
    _LOOPS.get().let_go(conversation_id)
    session = await replayed(conversation_id)
    if not session.unfinished:
        return False
    if (run := session.conversation.run) is not None and not run.received:
        await record(lease, await _received(session))
    for event in session.end_run(StopReason.CANCELLED, partial=answers, by=by):
        await record(lease, event)
    _LOOPS.get().process_queue(conversation_id)
    return True


async def give_up(conversation_id: int, fence: int, channel: str) -> None:
    """Stop driving a run that a server ends, if it has this fence; reply with its answers."""
    driver = _LOOPS.get().drivers.get(conversation_id)
    if driver is not None and driver.lease.fence == fence:
        answers = _unfinished_answers(conversation_id)
        _LOOPS.get().let_go(conversation_id)
        await reply_answers(channel, answers)


def _unfinished_answers(conversation_id: int) -> dict[str, str]:
    """Return the texts of the answers in progress in this process, by run."""
    return {delta.run_id: delta.text for delta in streams_of(conversation_id)}


async def _received(session: Session) -> Event:
    """Return the event of the message that started a run, which is recorded before its end."""
    async with aclosing(session.resume()) as events:
        return await anext(events)


async def hand_over(*, within: float) -> None:
    """Claim no more runs, and release each one after its next event; wait at most `within` s."""
    await _LOOPS.get().hand_over(within=within)


async def shut_down() -> None:
    """Release every run so that another process can continue it at once, and stop all tasks."""
    if (loop := _LOOPS.pop()) is not None:
        has_runs = bool(loop.drivers)
        await loop.close()
        if has_runs and settings.RUNS == "workers":
            await notify_workers()
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
        is_queued = await in_database(
            take_steps, conversation_id=conversation_id, events=events, command=command
        )
    except (RunUnderWayError, CommandGoneError):
        return True  # the session contains unrecorded events, so it is dropped
    except MessageRepeatedError:
        await in_database(withdraw_command, conversation_id=conversation_id, key=command.key)
        return True
    keep(conversation_id, session)
    if is_queued:
        await announce()
    await notify_events(conversation_id, events[-1].seq)
    if is_queued:
        await notify_queued(conversation_id)
    if isinstance(events[-1], RunStarted):
        await notify_variants(session.session_id)
    if not is_awaited(command):
        await notify_queue(conversation_id)
    return not is_queued


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


_LOOPS: PerEventLoop[RunLoop] = PerEventLoop(lambda: RunLoop(process_queue))
