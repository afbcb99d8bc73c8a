"""Variants of a conversation's messages, for users and for holders of a share link."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from designer.core import HtmxHttpRequest, get_conversation
from designer.models import Conversation
from designer.rehearsal.fragments.variants import variants_of


@require_GET
@never_cache
def conversation_variants(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the positions of the messages among their variants, with buttons to switch."""
    row = get_conversation(request, pk)
    context = {
        "variants": variants_of(row, Conversation.objects.of(request.user)),
        "may_switch": True,
        "is_drawer": "drawer" in request.GET,
    }
    return render(request, "rehearsal/chat/_variants.html", context)


def shared_variants(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the positions of the messages among their variants."""
    context = {"variants": variants_of(conversation, Conversation.objects.all())}
    return render(request, "rehearsal/chat/_variants.html", context)
