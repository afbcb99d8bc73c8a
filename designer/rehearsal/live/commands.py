"""Stepping in: whatever somebody asks of a conversation waits its turn here, and is seen to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from designer.core import in_database
from designer.models import Command
from designer.rehearsal.actions.break_points import Point, mark_point
from designer.rehearsal.actions.commands import put_command, withdraw_command
from designer.rehearsal.live import run_driver, runs
from designer.rehearsal.live.command_refusals import awaiting
from designer.rehearsal.live.streams import ring_break_points, ring_queue
from orchestration.control import AnyCommand, TakeOver
from orchestration.exceptions import SteeringError
from orchestration.messages import InboundMessage


async def say(conversation_id: int, message: InboundMessage, user_id: int | None = None) -> None:
    """Have a message start a run, when the one under way is over; return as soon as it is safe.

    A message that is recorded or waits already starts nothing. Raises QueueFullError where too
    much waits, and ReadOnlyError where nothing can be said.
    """
    await _put(conversation_id, message, user_id)


async def command(conversation_id: int, command: AnyCommand) -> None:
    """Have a command done: at once where that can be, else at the next safe point.

    Raises SteeringError where it cannot be done, and what `say` raises.
    """
    await _put(conversation_id, command, None)


async def withdraw(conversation_id: int, key: str) -> bool:
    """Take away what waits; False where it does not, or not any more."""
    gone = await in_database(withdraw_command, conversation_id=conversation_id, key=key)
    await run_driver.look(conversation_id)
    await ring_queue(conversation_id)
    return gone


async def set_break_point(conversation_id: int, point: Point, *, on: bool) -> None:
    """Have runs stand still at a stage or on a way, or no longer.

    Raises SteeringError where there is no such place.
    """
    why = await in_database(mark_point, conversation_id=conversation_id, point=point, on=on)
    if why:
        raise SteeringError(why)
    await run_driver.look(conversation_id)
    await ring_break_points(conversation_id)


async def _put(
    conversation_id: int, asked: AnyCommand | InboundMessage, user_id: int | None
) -> None:
    with awaiting(conversation_id, asked.id):  # before it is there for anyone to do
        row = await in_database(
            put_command, conversation_id=conversation_id, command=asked, user_id=user_id
        )
        if row is None:
            return
        if isinstance(asked, TakeOver):
            with suppress(runs.NotEndedError):  # it waits for the run's end
                await runs.stop(conversation_id, asked.by)
        await run_driver.look(conversation_id)
        await runs.see_to(conversation_id)
        outcome = await in_database(_outcome, row.pk)
        if outcome.refusal:
            await ring_queue(conversation_id)
            raise SteeringError(outcome.refusal)
        if outcome.waits:
            await ring_queue(conversation_id)


@dataclass(frozen=True)
class _Outcome:
    waits: bool = False
    refusal: str = ""


def _outcome(pk: int) -> _Outcome:
    """Return the outcome of a command, and delete it if its sender knows the refusal."""
    row = Command.objects.filter(pk=pk).first()
    if row is None:
        return _Outcome()
    if row.refusal:
        row.delete()
    return _Outcome(not row.refusal, row.refusal)
