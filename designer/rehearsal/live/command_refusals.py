"""Refused commands and their delivery: to the sender, or to all readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from designer.core import in_database
from designer.models import Command
from designer.rehearsal.actions.commands import refuse_command, value_of, withdraw_command
from designer.rehearsal.live.streams import notify_queue
from orchestration.control import GoOn, Pause

_AWAITED: Counter[tuple[int, str]] = Counter()
"""Number of senders in this process that wait for the result of a command."""


@contextmanager
def awaiting(conversation_id: int, key: str) -> Iterator[None]:
    """Wait for the result of a command in the body; the sender reports the result itself."""
    command = (conversation_id, key)
    _AWAITED[command] += 1
    try:
        yield
    finally:
        _AWAITED[command] -= 1
        if not _AWAITED[command]:
            del _AWAITED[command]


def is_awaited(command: Command) -> bool:
    """Report whether a sender in this process waits for the result of a command."""
    return (command.conversation_id, command.key) in _AWAITED


async def refuse(command: Command, why: str) -> None:
    """Record a refusal for the sender; a pause that came too late is only withdrawn."""
    if is_awaited(command):
        await in_database(refuse_command, command=command, why=why)
        return
    if isinstance(value_of(command), Pause | GoOn):
        conversation_id = command.conversation_id
        await in_database(withdraw_command, conversation_id=conversation_id, key=command.key)
    else:
        await in_database(refuse_command, command=command, why=why)
    await notify_queue(command.conversation_id)
