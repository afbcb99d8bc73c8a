"""Pending commands and messages of a conversation, next to the chat."""

from __future__ import annotations

from django.template.loader import render_to_string

from designer.models import Command, Conversation


def render_queue(conversation: Conversation) -> str:
    """Render the queue for the socket."""
    context = {"waiting": waiting_in(conversation), "oob": True}
    return render_to_string("rehearsal/chat/_queue.html", context)


def waiting_in(conversation: Conversation) -> list[Command]:
    """Return the pending commands, in order."""
    return list(conversation.commands.select_related("by"))
