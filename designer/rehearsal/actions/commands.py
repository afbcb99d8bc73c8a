"""The queue of a conversation: commands and messages that wait for a safe point.

A command is a row until its outcome is recorded. Both change in one transaction, in
`designer.rehearsal.actions.conversations`, so the queue survives its process and each command
counts once.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, When

from designer.models import Command, Conversation, RecordedEvent
from designer.rehearsal.actions.conversations import without_nul
from orchestration.control import RUN_COMMAND_KINDS, AnyCommand, read_command
from orchestration.messages import InboundMessage

MAX_WAITING = 50
"""Maximum number of pending commands of one conversation."""

PAUSE_COMMAND_KINDS = RUN_COMMAND_KINDS | {"go_on"}
"""Commands accepted while a run is paused; all others wait for its end."""

MAX_REFUSAL = 500
"""Characters of a refusal."""


class QueueFullError(Exception):
    """Too much waits already."""


class ReadOnlyError(Exception):
    """The conversation is a trace that was opened from a file."""


@dataclass(frozen=True)
class Standing:
    """Status of a conversation's run, and its next work."""

    last_seq: int
    run_id: str
    is_paused: bool
    next: Command | None
    """The first command whose turn it is; None: none, or whoever drives the run sees to it."""


@transaction.atomic
def put_command(
    *, conversation_id: int, command: AnyCommand | InboundMessage, user_id: int | None = None
) -> Command | None:
    """Have a command wait; None where it waits already or is done.

    Nobody named: it is whose the conversation is. Raises QueueFullError and ReadOnlyError.
    """
    rows = Conversation.objects.without_definition().select_for_update()
    conversation = rows.get(pk=conversation_id)
    if conversation.is_read_only:
        raise ReadOnlyError
    keys = [f"message:{command.id}", f"command:{command.id}"]
    if conversation.recorded_events.filter(key__in=keys).exists():
        return None
    waiting = set(conversation.commands.values_list("key", flat=True))
    if command.id in waiting:
        return None
    if len(waiting) >= MAX_WAITING:
        raise QueueFullError
    return Command.objects.create(
        conversation=conversation,
        key=command.id,
        kind="say" if isinstance(command, InboundMessage) else command.kind,
        body=without_nul(msgspec.to_builtins(command)),
        by_id=user_id or _user_of(command) or conversation.started_by_id,
    )


def withdraw_command(*, conversation_id: int, key: str) -> bool:
    """Take away a command that waits; False where it does not, or not any more."""
    rows = Command.objects.filter(conversation_id=conversation_id, key=key)
    return bool(rows.delete()[0])


def refuse_command(*, command: Command, why: str) -> None:
    """Keep why a command could not be done; it is not tried again."""
    Command.objects.filter(pk=command.pk).update(refusal=why[:MAX_REFUSAL])


def standing_of(conversation_id: int) -> Standing | None:
    """Return the next work of a conversation; None if it is gone."""
    rows = Conversation.objects.filter(pk=conversation_id)
    found = rows.values_list("last_seq", "run_id", "is_paused").first()
    if found is None:
        return None
    last_seq, run_id, is_paused = found
    kinds: Collection[str] | None = None if not run_id else PAUSE_COMMAND_KINDS if is_paused else ()
    return Standing(last_seq, run_id, is_paused, _first(conversation_id, kinds))


class Wanted(NamedTuple):
    """Instructions for a run in progress."""

    break_points: dict[str, Any]
    is_logged: bool
    """True if exchanges with models are recorded."""
    commands: list[Command]
    """Commands that the run may process."""


def wanted_of(conversation_id: int) -> Wanted:
    """Return the instructions for a run in progress."""
    rows = Conversation.objects.filter(pk=conversation_id)
    points, is_logged = rows.values_list("break_points", "is_logged").first() or ({}, False)
    waiting = Command.objects.filter(conversation_id=conversation_id, refusal="")
    return Wanted(points, is_logged, list(waiting.filter(kind__in=RUN_COMMAND_KINDS)))


def value_of(command: Command) -> AnyCommand | InboundMessage:
    """Return a pending command or message as a value for the engine."""
    if command.kind == "say":
        return msgspec.convert(command.body, InboundMessage)
    return read_command(command.body)


def is_recorded(*, conversation_id: int, key: str) -> bool:
    """Report whether an event with this key is recorded."""
    return RecordedEvent.objects.filter(conversation_id=conversation_id, key=key).exists()


def _first(conversation_id: int, kinds: Collection[str] | None) -> Command | None:
    """The command that waits longest, of these kinds or of any; but who takes over comes first."""
    if kinds is not None and not kinds:
        return None
    waiting = Command.objects.filter(conversation_id=conversation_id, refusal="")
    if kinds is not None:
        waiting = waiting.filter(kind__in=kinds)
    is_urgent = Case(When(kind="take_over", then=0), default=1)
    return waiting.order_by(is_urgent, "pk").first()


def _user_of(command: AnyCommand | InboundMessage) -> int | None:
    if isinstance(command, InboundMessage):
        return None
    rows = User.objects.filter(username=command.by)
    return rows.values_list("pk", flat=True).first()
