"""Read-only page of a conversation, for share links and for traces from files."""

from __future__ import annotations

from types import SimpleNamespace

from django.http import HttpResponse
from django.shortcuts import render

from designer.core import HtmxHttpRequest
from designer.models import Conversation
from designer.rehearsal.fragments.conversation import conversation_context
from designer.rehearsal.fragments.variants import variants_of


def reading_page(request: HtmxHttpRequest, row: Conversation, *, socket: str = "") -> HttpResponse:
    """Return the page without controls; with a socket it shows new events."""
    # The canvas only needs the pipeline's name.
    pipeline = SimpleNamespace(pk="", name=row.snapshot().name)
    context = {
        **conversation_context(row),
        "conversation": row,
        "pipeline": pipeline,
        "mode": "rehearse",
        "socket": socket,
        "has_forks": row.forked_at is not None or row.forks.exists(),
        "variants": variants_of(row, Conversation.objects.all()),
    }
    return render(request, "rehearsal/read_only.html", context)
