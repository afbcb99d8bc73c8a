"""Pending commands and messages of a conversation, next to the chat."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from designer.models import Command, Conversation
from designer.rehearsal.actions.heartbeats import newest_replayable
from designer.rehearsal.actions.leases import place_in_queue

SHORT_WAIT = timedelta(seconds=1)
"""Time after which a run counts as waiting."""


def render_queue(conversation: Conversation) -> str:
    """Render the queue for the socket."""
    context = {**queue_context(conversation), "oob": True}
    return render_to_string("rehearsal/chat/_queue.html", context)


def queue_context(conversation: Conversation) -> dict[str, Any]:
    """Return the context of the queue: pending commands, and the place of a queued run.

    A run that has just become ready has no place yet, because most are claimed at once.
    """
    since = conversation.ready_since
    is_waiting = since is not None and timezone.now() - since >= SHORT_WAIT
    place = place_in_queue(conversation.pk) if is_waiting else None
    return {
        "waiting": waiting_in(conversation),
        "place": place,
        "obstacle": "" if place is None else _obstacle(conversation),
    }


def _obstacle(conversation: Conversation) -> str:
    """Return the reason for which no process can drive a queued run; usually empty."""
    newest = newest_replayable()
    if not newest:
        return "No worker is running. The run continues as soon as an administrator starts one."
    if conversation.event_format > newest:
        return (
            "A newer version of Baton recorded this conversation. The run continues as soon as an "
            "administrator updates the workers."
        )
    return ""


def waiting_in(conversation: Conversation) -> list[Command]:
    """Return the pending commands, in order."""
    return list(conversation.commands.select_related("by"))
