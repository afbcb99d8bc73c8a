"""What is done with a conversation as a whole: it is named, said anew, deleted."""

from __future__ import annotations

from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction

from designer.actions.forks import NotForkableError, fork_conversation
from designer.models import Conversation
from orchestration.events import MessageReceived, load
from orchestration.messages import InboundMessage


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
    *, conversation: Conversation, seq: int, text: str, user: User
) -> tuple[Conversation, InboundMessage]:
    """Go back to before a message and say something else there, or the same once more.

    What was is kept: it goes on in another conversation, to which the message is still to be said.
    Raises NotForkableError where no message was said at that event.
    """
    row = conversation.recorded_events.filter(seq=seq, type="message.received").first()
    said = load(row.body) if row is not None else None
    if not isinstance(said, MessageReceived) or said.session_id != conversation.session_id:
        raise NotForkableError("Nothing was said there that could be said anew.")
    origin = conversation.name or f"Rehearsal {conversation.number}"
    name = f"{origin[:100]}, said anew"
    fork = fork_conversation(conversation, before=seq, user=user, name=name)
    message = said.message
    return fork, InboundMessage(
        id=uuid4().hex, text=text, channel_type=message.channel_type, intent=message.intent
    )
