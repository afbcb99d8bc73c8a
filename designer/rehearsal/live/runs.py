"""Next work of a conversation: start, continue, take over or end its run.

Where a process dies, the lease of its run ends, and whoever reads the conversation has it taken up.
What waits in the queue is done one after the other, in whichever process looks first.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from weakref import WeakValueDictionary

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
from designer.rehearsal.live.streams import ring, ring_queue, streams_of
from orchestration.control import HandBack
from orchestration.definition import HUMAN
from orchestration.events import Event, EventBase, RunCompleted, RunFailed, StopReason
from orchestration.exceptions import BatonError, SteeringError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session

log = logging.getLogger(__name__)

TRIES = 5
"""Number of attempts to end a run while others change it."""


class NotEndedError(SteeringError):
    """A run went on whenever it was to be ended."""

    def __init__(self) -> None:
        super().__init__("The run went on each time that it was to be ended: try again.")


_WATCHES: dict[int, asyncio.Task[None]] = {}
_CALLED: set[int] = set()
"""Conversations requested again during their check."""

_Locks = WeakValueDictionary[int, asyncio.Lock]

_TURNS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
_ENDS: PerEventLoop[_Locks] = PerEventLoop(WeakValueDictionary)
"""Locks of conversations within this process."""


def attend(conversation_id: int) -> None:
    """See to it that what waits is done, and that an unfinished run goes on.

    That is at the latest when the run's lease has run out.
    """
    if is_driven(conversation_id):
        return
    if conversation_id in _WATCHES:
        _CALLED.add(conversation_id)
        return
    task = task_of(_watch(conversation_id), name=f"watch-{conversation_id}")
    _WATCHES[conversation_id] = task
    task.add_done_callback(lambda _: _forget(conversation_id, task))


async def see_to(conversation_id: int) -> None:
    """Do what waits, as far as it can be done now."""
    async with _TURNS.get().setdefault(conversation_id, asyncio.Lock()):
        while await _do_next(conversation_id):
            pass


async def stop(conversation_id: int, by: str = "") -> bool:
    """End the run that is on, whoever drives it; False where none is, or someone else ends it.

    `by` is who asks for it. Raises NotEndedError where it goes on all the same.
    """
    async with _ENDS.get().setdefault(
        conversation_id, asyncio.Lock()
    ):  # several here would take it from each other
        for _ in range(TRIES):
            lease = await in_database(seize_lease, conversation_id=conversation_id)
            if lease is None:
                return False
            with suppress(LeaseLostError):  # it went on, or was taken up, at the same moment
                return await _end(conversation_id, lease, by)
    raise NotEndedError


async def _end(conversation_id: int, lease: Lease, by: str) -> bool:
    """End a run whose lease was seized; False where it had ended. Raises LeaseLostError."""
    said = {one.run_id: one.text for one in streams_of(conversation_id)}
    let_go(conversation_id)
    session = await replayed(conversation_id)
    if not session.unfinished:
        return False
    # Of an answer that streams elsewhere, nothing is known here.
    if (run := session.conversation.run) is not None and not run.received:
        await record(lease, await _received(session))
    for event in session.end_run(StopReason.CANCELLED, partial=said, by=by):
        await record(lease, event)
    attend(conversation_id)
    return True


async def _received(session: Session) -> Event:
    """The message of a run that is ended as it begins: it was said, whatever becomes of it."""
    async with aclosing(session.resume()) as events:
        return await anext(events)


async def shut_down() -> None:
    """Stop driving, and let go of every run so that another process takes it up at once."""
    tasks = list(_WATCHES.values())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await stop_driving()
    await close_remote_tools()


# What waits


async def _do_next(conversation_id: int) -> bool:
    """Do the first that can be done; False where nothing can, or a run is under way now."""
    standing = await in_database(standing_of, conversation_id)
    if standing is None or standing.next is None:
        return False
    command = standing.next
    session = await session_of(conversation_id, standing.last_seq)
    if session.seq != standing.last_seq:
        return True  # somebody took a step meanwhile: look again before anything is refused
    try:
        events = await _steps(session, command)
    except BatonError as refusal:
        keep(conversation_id, session)
        await refuse(command, str(refusal))
        return True
    try:
        lease = await in_database(
            take_steps, conversation_id=conversation_id, events=events, command=command
        )
    except (RunUnderWayError, CommandGoneError):
        return True  # the session has seen what did not happen; the next one is made anew
    except MessageRepeatedError:
        await in_database(withdraw_command, conversation_id=conversation_id, key=command.key)
        return True
    if lease is not None:
        start(lease, session, attend)
    else:
        keep(conversation_id, session)
    await ring(conversation_id, events[-1].seq)
    if not is_awaited(command):
        await ring_queue(conversation_id)
    return lease is None


async def _steps(session: Session, command: Command) -> list[Event]:
    """Return the events of a command outside of a run; the session has processed them."""
    value = value_of(command)
    if isinstance(value, InboundMessage):
        async with aclosing(session.receive(value)) as events:
            return [await anext(events)]
    steps = list(session.steer(value))
    if isinstance(value, HandBack) and _customer_waits(session):
        async with aclosing(session.go_on()) as events:
            steps.append(await anext(events))
    return steps


def _customer_waits(session: Session) -> bool:
    """Report whether the last message waits for the human's answer."""
    for message in reversed(session.history):
        if message.role == "user" and not message.note:
            return True
        if message.role == "assistant" and message.agent_id == HUMAN:
            return False
    return False


# What was cut off


async def _watch(conversation_id: int) -> None:
    """Do what waits; wait until the run is over or its lease has run out; then take it up."""
    while True:
        _CALLED.discard(conversation_id)
        await see_to(conversation_id)
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
            with suppress(LeaseLostError):  # who took it over sees to the run
                await _take_up(lease)


def _forget(conversation_id: int, watch: asyncio.Task[None]) -> None:
    """Nobody looks any more; look again where somebody called meanwhile."""
    _WATCHES.pop(conversation_id, None)
    was_called = conversation_id in _CALLED
    _CALLED.discard(conversation_id)
    if watch.cancelled():
        return
    error = watch.exception()
    if isinstance(error, Conversation.DoesNotExist):
        return  # deleted: nothing is left to see to
    if error is not None:
        log.error("Conversation %s: could not be seen to.", conversation_id, exc_info=error)
    elif was_called:
        attend(conversation_id)


async def _take_up(lease: Lease) -> None:
    session = await replayed(lease.conversation_id)
    if lease.is_exhausted:
        for event in _given_up(session, lease.attempt - 1):
            await record(lease, event)
    else:
        log.warning(
            "Conversation %s: run taken up, attempt %s.", lease.conversation_id, lease.attempt
        )
        start(lease, session, attend)


def _given_up(session: Session, attempts: int) -> list[Event]:
    """The end of a run that took its process down every time."""
    *before, end = session.end_run(StopReason.FAILED)
    if not isinstance(end, RunCompleted):
        raise TypeError(f"A run ended with {end.type!r}.")
    head = {name: getattr(end, name) for name in EventBase.__struct_fields__}
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


def _seconds_left(conversation_id: int) -> float | None:
    """Until the lease of the run runs out; None where no run is on, or it is paused."""
    on = Conversation.objects.filter(pk=conversation_id, is_paused=False).exclude(run_id="")
    ends = on.values_list("lease_until", flat=True)
    if not ends:
        return None
    return max(0.0, (ends[0] - timezone.now()).total_seconds()) if ends[0] else 0.0
