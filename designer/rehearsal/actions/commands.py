"""Queue of a conversation: commands and messages that wait for a safe point.

A command is a row until its outcome is recorded. Both change in one transaction, in
`designer.rehearsal.actions.conversations`, so the queue survives its process and each command
counts once.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Case, When

from designer.core import atomic_action
from designer.instrumentation import current_request
from designer.models import Command, Conversation, RecordedEvent
from designer.rehearsal.actions.event_rows import without_nul
from designer.rehearsal.actions.leases import is_run_queue_full
from orchestration.control import RUN_COMMAND_KINDS, AnyCommand, read_command
from orchestration.messages import InboundMessage

MAX_WAITING = 50
"""Maximum number of pending commands of one conversation."""

PAUSE_COMMAND_KINDS = RUN_COMMAND_KINDS | {"go_on"}
"""Commands accepted while a run is paused; all others wait for its end."""

MAX_REFUSAL = 500
"""Maximum length of a refusal."""


class QueueFullError(Exception):
    """The queue of the conversation, or of all runs, is full; the text says so."""


class ReadOnlyError(Exception):
    """The conversation is a trace that was opened from a file."""


@dataclass(frozen=True)
class Standing:
    """Status of a conversation's run, and its next command."""

    last_seq: int
    run_id: str
    is_paused: bool
    next: Command | None
    """The next command; None if there is none, or if the run's worker processes it."""


def put_command(
    *, conversation_id: int, command: AnyCommand | InboundMessage, user_id: int | None = None
) -> Command | None:
    """Add a command to the queue; return None if it is pending or recorded already.

    Without a user it belongs to the user who started the conversation. Raises QueueFullError and
    ReadOnlyError.
    """
    row = Command(
        conversation_id=conversation_id,
        key=command.id,
        kind="say" if isinstance(command, InboundMessage) else command.kind,
        body=without_nul(msgspec.to_builtins(command)),
        request_id=current_request().id,
    )
    return row if _store(row, user_id or _user_of(command)) else None


@atomic_action
def _store(row: Command, user_id: int | None) -> bool:
    """Add a row to the queue; return False if its command is pending or recorded already."""
    rows = Conversation.objects.without_definition().select_for_update()
    conversation = rows.get(pk=row.conversation_id)
    if conversation.is_read_only:
        raise ReadOnlyError
    keys = [f"message:{row.key}", f"command:{row.key}"]
    if conversation.recorded_events.filter(key__in=keys).exists():
        return False
    pending = set(conversation.commands.values_list("key", flat=True))
    if row.key in pending:
        return False
    if len(pending) >= MAX_WAITING:
        raise QueueFullError(
            f"The queue of this conversation is full ({MAX_WAITING}). Wait for some of its entries "
            "or withdraw some, then send again."
        )
    if row.kind == "say" and is_run_queue_full():
        raise QueueFullError(
            f"Baton is busy: {settings.MAX_QUEUED_RUNS:,} runs are waiting. Send the message again "
            "in a few minutes."
        )
    row.by_id = user_id or conversation.started_by_id
    row.save(force_insert=True)
    return True


@atomic_action
def withdraw_command(*, conversation_id: int, key: str) -> bool:
    """Remove a command from the queue; return False if it is not pending."""
    rows = Command.objects.filter(conversation_id=conversation_id, key=key)
    return bool(rows.delete()[0])


@atomic_action
def refuse_command(*, command: Command, why: str) -> None:
    """Record the refusal of a command, which is not tried again."""
    Command.objects.filter(pk=command.pk).update(refusal=why[:MAX_REFUSAL])


def standing_of(conversation_id: int) -> Standing | None:
    """Return the status of a conversation; None if it was deleted."""
    rows = Conversation.objects.filter(pk=conversation_id)
    row = rows.values_list("last_seq", "run_id", "is_paused").first()
    if row is None:
        return None
    last_seq, run_id, is_paused = row
    kinds: Collection[str] | None = None if not run_id else PAUSE_COMMAND_KINDS if is_paused else ()
    return Standing(last_seq, run_id, is_paused, _first(conversation_id, kinds))


class RunInstructions(NamedTuple):
    """Instructions for a run in progress."""

    break_points: dict[str, Any]
    is_logged: bool
    """True if exchanges with models are recorded."""
    commands: list[Command]
    """Commands that the run may process."""


def instructions_of(conversation_id: int) -> RunInstructions:
    """Return the instructions for a run in progress."""
    rows = Conversation.objects.filter(pk=conversation_id)
    points, is_logged = rows.values_list("break_points", "is_logged").first() or ({}, False)
    pending = Command.objects.filter(conversation_id=conversation_id, refusal="")
    return RunInstructions(points, is_logged, list(pending.filter(kind__in=RUN_COMMAND_KINDS)))


def value_of(command: Command) -> AnyCommand | InboundMessage:
    """Return a pending command or message as a value for the engine."""
    if command.kind == "say":
        return msgspec.convert(command.body, InboundMessage)
    return read_command(command.body)


def is_recorded(*, conversation_id: int, key: str) -> bool:
    """Report whether an event with this key is recorded."""
    return RecordedEvent.objects.filter(conversation_id=conversation_id, key=key).exists()


def _first(conversation_id: int, kinds: Collection[str] | None) -> Command | None:
    """Return the oldest pending command of these kinds, or of any; a takeover comes first."""
    if kinds is not None and not kinds:
        return None
    pending = Command.objects.filter(conversation_id=conversation_id, refusal="")
    if kinds is not None:
        pending = pending.filter(kind__in=kinds)
    priority = Case(When(kind="take_over", then=0), default=1)
    return pending.order_by(priority, "pk").first()


def _user_of(command: AnyCommand | InboundMessage) -> int | None:
    if isinstance(command, InboundMessage):
        return None
    rows = User.objects.filter(username=command.by)
    return rows.values_list("pk", flat=True).first()
