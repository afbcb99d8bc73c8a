"""Actions on a whole conversation: rename, resend, delete."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import chain, count
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from designer.models import Conversation, Pipeline
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.forks import NotForkableError, fork_conversation
from orchestration.events import MessageReceived, load
from orchestration.messages import InboundMessage

RESENT = ", said anew"
"""Suffix of the name of a rehearsal with another message, before its number."""


@transaction.atomic
def rename_conversation(*, conversation: Conversation, name: str) -> Conversation:
    """Rename a conversation; without a name its title is its number."""
    conversation.name = name
    conversation.full_clean(exclude=["definition", "subtask_definitions"])
    conversation.save(update_fields=["name"])
    return conversation


@transaction.atomic
def delete_conversation(*, conversation: Conversation) -> None:
    """Delete a conversation with its trace; its forks remain, and its worker writes no more."""
    conversation.delete()


@transaction.atomic
def resend_message(
    *, conversation: Conversation, seq: int, text: str, user: User, sending: str = ""
) -> Conversation:
    """Send another message, or the same again, in place of an earlier one.

    The conversation stays as it is: the message is queued in a fork from before the earlier one. A
    repeated request of the same page (`sending`) returns the same fork. Raises NotForkableError if
    the event is no message of the user, and NotRehearsableError if the pipeline does not run.
    """
    rows = Conversation.objects.without_definition().select_for_update()
    if not rows.filter(pk=conversation.pk).exists():
        raise NotForkableError("This rehearsal has been deleted.")
    key = _key(user, sending, seq, text)
    has_message = Q(commands__key=key) | Q(recorded_events__key=f"message:{key}")
    if (fork := conversation.forks.filter(has_message).first()) is not None:
        return fork
    row = conversation.recorded_events.filter(seq=seq, type="message.received").first()
    event = load(row.body) if row is not None else None
    if not isinstance(event, MessageReceived) or event.session_id != conversation.session_id:
        raise NotForkableError(f"Event {seq} is not a message that can be sent again.")
    # A second request at the same time chooses its name after the first one.
    Pipeline.objects.select_for_update().filter(conversations=conversation).first()
    name = _fork_name(conversation)
    fork = fork_conversation(conversation, before=seq, user=user, name=name)
    message = InboundMessage(
        id=key, text=text, channel_type=event.message.channel_type, intent=event.message.intent
    )
    put_command(conversation_id=fork.pk, command=message, user_id=user.pk)
    return fork


def _fork_name(conversation: Conversation) -> str:
    """Return a unique name for a rehearsal with another message, numbered from 2."""
    origin = re.sub(rf"{RESENT}( \d+)?$", "", conversation.title)
    name = f"{origin[:100]}{RESENT}"
    siblings = Conversation.objects.filter(pipeline=conversation.pipeline, name__startswith=name)
    used = set(siblings.values_list("name", flat=True))
    numbered = (f"{name} {number}" for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in used)


def _key(user: User, sending: str, seq: int, text: str) -> str:
    """Return the id of a message; the same for a repeated request of the same page."""
    if not sending:
        return uuid4().hex
    return sha256(f"{user.pk} {sending} {seq} {text}".encode()).hexdigest()[:32]
