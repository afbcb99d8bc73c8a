"""What waits for a conversation to come to it, beside the chat."""

from __future__ import annotations

from django.template.loader import render_to_string

from designer.models import Conversation


def render_queue(conversation: Conversation) -> str:
    """What waits, as the socket sends it."""
    waiting = list(conversation.commands.select_related("by"))
    return render_to_string("conversation/_queue.html", {"waiting": waiting, "oob": True})
