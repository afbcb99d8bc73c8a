"""Actions on a whole conversation: rename, resend, delete."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import chain, count
from typing import Literal
from uuid import uuid4

from django.contrib.auth.models import User
from django.db.models import Q
from msgspec import structs

from designer.core import atomic_action
from designer.models import Conversation, Pipeline
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.forks import ForkDraft, NotForkableError, draft_fork, store_fork
from orchestration.events import MessageReceived, load
from orchestration.messages import InboundMessage

Resend = Literal["retry", "edit"]
"""Variant of a message: the same text again, or a changed one."""

_SUFFIX = re.compile(r" \((?:retry|edit)(?: \d+)?\)$|, said anew(?: \d+)?$")
"""Suffix of the name of a rehearsal with a variant; earlier versions used the second one."""


@atomic_action
def rename_conversation(*, conversation: Conversation, name: str) -> Conversation:
    """Rename a conversation; without a name its title is its number."""
    conversation.name = name
    conversation.full_clean(exclude=["definition", "subtask_definitions"])
    conversation.save(update_fields=["name"])
    return conversation


@atomic_action
def delete_conversation(*, conversation: Conversation) -> None:
    """Delete a conversation with its trace; its forks remain, and its worker writes no more."""
    conversation.delete()


def resend_message(
    *, conversation: Conversation, seq: int, text: str, user: User, sending: str = ""
) -> Conversation:
    """Send another message, or the same again, in place of an earlier one.

    The conversation stays as it is: the message is queued in a fork from before the earlier one. A
    repeated request of the same page (`sending`) returns the same fork. Raises NotForkableError if
    the event is no message of the user, and NotRehearsableError if the pipeline does not run.
    """
    text = text.replace("\r\n", "\n")  # as forms send line breaks
    key = _key(user, sending, seq, text)
    if (fork := _fork_with_message(conversation, key)) is not None:
        return fork
    row = conversation.recorded_events.filter(seq=seq, type="message.received").first()
    event = load(row.body) if row is not None else None
    if not isinstance(event, MessageReceived) or event.session_id != conversation.session_id:
        raise NotForkableError(f"Event {seq} is not a message that can be sent again.")
    message = structs.replace(event.message, id=key, text=text)
    draft = draft_fork(conversation, before=seq, user=user)
    kind: Resend = "retry" if text == event.message.text else "edit"
    return _store(conversation, draft, message, kind)


@atomic_action
def _store(
    conversation: Conversation, draft: ForkDraft, message: InboundMessage, kind: Resend
) -> Conversation:
    """Store a fork with a message in its queue, or return the one that has the message already."""
    # The locks: a second request at the same time finds the fork, or chooses its name after it.
    rows = Conversation.objects.without_definition().select_for_update()
    if not rows.filter(pk=conversation.pk).exists():
        raise NotForkableError("This rehearsal has been deleted.")
    if (fork := _fork_with_message(conversation, message.id)) is not None:
        return fork
    Pipeline.objects.select_for_update().filter(conversations=conversation).first()
    draft.row.name = _fork_name(conversation, kind)
    fork = store_fork(draft)
    put_command(conversation_id=fork.pk, command=message, user_id=fork.started_by_id)
    return fork


def _fork_with_message(conversation: Conversation, key: str) -> Conversation | None:
    has_message = Q(commands__key=key) | Q(recorded_events__key=f"message:{key}")
    fork: Conversation | None = conversation.forks.filter(has_message).first()
    return fork


def _fork_name(conversation: Conversation, kind: Resend) -> str:
    """Return a unique name for a rehearsal with a variant: `Rehearsal 1 (retry)`, `… (retry 2)`."""
    origin = _SUFFIX.sub("", conversation.title)[:100]
    siblings = Conversation.objects.filter(
        pipeline=conversation.pipeline, name__startswith=f"{origin} ({kind}"
    )
    used = set(siblings.values_list("name", flat=True))
    numbered = (f"{origin} ({kind} {number})" for number in count(2))
    names = chain([f"{origin} ({kind})"], numbered)
    return next(candidate for candidate in names if candidate not in used)


def _key(user: User, sending: str, seq: int, text: str) -> str:
    """Return the id of a message; the same for a repeated request of the same page."""
    if not sending:
        return uuid4().hex
    return sha256(f"{user.pk} {sending} {seq} {text}".encode()).hexdigest()[:32]
