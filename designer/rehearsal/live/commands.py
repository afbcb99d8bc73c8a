"""Messages and commands for a conversation, which wait in its queue until they are processed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from designer.core import in_database
from designer.models import Command
from designer.rehearsal.actions.break_points import Point, mark_point
from designer.rehearsal.actions.commands import put_command, withdraw_command
from designer.rehearsal.live import runs
from designer.rehearsal.live.command_refusals import awaiting
from designer.rehearsal.live.streams import notify_break_points, notify_queue
from orchestration.control import AnyCommand, TakeOver
from orchestration.exceptions import SteeringError
from orchestration.messages import InboundMessage


async def say(conversation_id: int, message: InboundMessage, user_id: int | None = None) -> None:
    """Send a message, which starts a run after the current one; return as soon as it is stored.

    A message that is recorded or pending already has no effect. Raises QueueFullError if too many
    commands are pending, and ReadOnlyError for a trace from a file.
    """
    await _put(conversation_id, message, user_id)


async def command(conversation_id: int, command: AnyCommand) -> None:
    """Issue a command: it is processed at once if possible, else at the next safe point.

    Raises SteeringError if it is refused, and the errors of `say`.
    """
    await _put(conversation_id, command, None)


async def withdraw(conversation_id: int, key: str) -> bool:
    """Remove a command from the queue; return False if it is not pending."""
    is_removed = await in_database(withdraw_command, conversation_id=conversation_id, key=key)
    await runs.update(conversation_id)
    await notify_queue(conversation_id)
    return is_removed


async def set_break_point(conversation_id: int, point: Point, *, on: bool) -> None:
    """Set or remove a break point at a stage or a transition.

    Raises SteeringError if it cannot be set.
    """
    error = await in_database(mark_point, conversation_id=conversation_id, point=point, on=on)
    if error:
        raise SteeringError(error)
    await runs.update(conversation_id)
    await notify_break_points(conversation_id)


async def _put(
    conversation_id: int, command: AnyCommand | InboundMessage, user_id: int | None
) -> None:
    with awaiting(conversation_id, command.id):  # before any task can process it
        row = await in_database(
            put_command, conversation_id=conversation_id, command=command, user_id=user_id
        )
        if row is None:
            return
        if isinstance(command, TakeOver):
            with suppress(runs.NotEndedError):  # the takeover waits for the run's end
                await runs.stop(conversation_id, command.by)
        await runs.update(conversation_id)
        await runs.process_queue(conversation_id)
        outcome = await in_database(_outcome, row.pk)
        if outcome.refusal:
            await notify_queue(conversation_id)
            raise SteeringError(outcome.refusal)
        if outcome.is_pending:
            await notify_queue(conversation_id)


@dataclass(frozen=True)
class _Outcome:
    is_pending: bool = False
    refusal: str = ""


def _outcome(pk: int) -> _Outcome:
    """Return the outcome of a command; delete a refused one, as its sender gets the refusal."""
    row = Command.objects.filter(pk=pk).first()
    if row is None:
        return _Outcome()
    if row.refusal:
        row.delete()
    return _Outcome(not row.refusal, row.refusal)
