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

ANEW = ", said anew"
"""Suffix of the name of a rehearsal with an edited message, before a number."""


@transaction.atomic
def rename_conversation(*, conversation: Conversation, name: str) -> Conversation:
    """Give a conversation a name; none: it goes by its number."""
    conversation.name = name
    conversation.full_clean(exclude=["definition", "subtask_definitions"])
    conversation.save(update_fields=["name"])
    return conversation


@transaction.atomic
def delete_conversation(*, conversation: Conversation) -> None:
    """Delete a conversation with its trace. Its forks stay; whoever drives it writes no more."""
    conversation.delete()


@transaction.atomic
def say_otherwise(
    *, conversation: Conversation, seq: int, text: str, user: User, sending: str = ""
) -> Conversation:
    """Go back to before a message and say something else there, or the same once more.

    What was is kept: it goes on in another conversation, in which the message waits. The same sent
    again with the page's own id is the one that began with it. Raises NotForkableError where no
    message was said at that event, and NotRehearsableError where it cannot be gone on with.
    """
    rows = Conversation.objects.without_definition().select_for_update()
    if not rows.filter(pk=conversation.pk).exists():
        raise NotForkableError("This rehearsal has been deleted.")
    key = _key(user, sending, seq, text)
    has_message = Q(commands__key=key) | Q(recorded_events__key=f"message:{key}")
    if (fork := conversation.forks.filter(has_message).first()) is not None:
        return fork
    row = conversation.recorded_events.filter(seq=seq, type="message.received").first()
    said = load(row.body) if row is not None else None
    if not isinstance(said, MessageReceived) or said.session_id != conversation.session_id:
        raise NotForkableError("Nothing was said there that could be said anew.")
    # Of two at once the second looks for a name when the first has one.
    Pipeline.objects.select_for_update().filter(conversations=conversation).first()
    name = _name_anew(conversation)
    fork = fork_conversation(conversation, before=seq, user=user, name=name)
    message = InboundMessage(
        id=key, text=text, channel_type=said.message.channel_type, intent=said.message.intent
    )
    put_command(conversation_id=fork.pk, command=message, user_id=user.pk)
    return fork


def _name_anew(conversation: Conversation) -> str:
    """Return a unique name for a rehearsal with an edited message.

    The second of a pipeline is numbered 2, and so on.
    """
    origin = re.sub(rf"{ANEW}( \d+)?$", "", conversation.title)
    name = f"{origin[:100]}{ANEW}"
    siblings = Conversation.objects.filter(pipeline=conversation.pipeline, name__startswith=name)
    taken = set(siblings.values_list("name", flat=True))
    others = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], others) if one not in taken)


def _key(user: User, sending: str, seq: int, text: str) -> str:
    """The id of a message that is said anew: that of the same, sent by the same page again."""
    if not sending:
        return uuid4().hex
    return sha256(f"{user.pk} {sending} {seq} {text}".encode()).hexdigest()[:32]
