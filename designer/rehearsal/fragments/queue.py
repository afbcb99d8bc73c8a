"""What waits for a conversation to come to it, beside the chat."""

from __future__ import annotations

from django.template.loader import render_to_string

from designer.models import Command, Conversation


def render_queue(conversation: Conversation) -> str:
    """What waits, as the socket sends it."""
    context = {"waiting": waiting_in(conversation), "oob": True}
    return render_to_string("rehearsal/chat/_queue.html", context)


def waiting_in(conversation: Conversation) -> list[Command]:
    """What waits, in the order in which its turn comes."""
    return list(conversation.commands.select_related("by"))
