"""A conversation that can only be looked at: by a link, or from a file."""

from __future__ import annotations

from types import SimpleNamespace

from django.http import HttpResponse
from django.shortcuts import render

from designer.core import HtmxHttpRequest
from designer.models import Conversation
from designer.rehearsal.fragments.conversation import conversation_context


def reading_page(request: HtmxHttpRequest, row: Conversation, *, socket: str = "") -> HttpResponse:
    """The panes without what steps in; with a socket they grow."""
    # The canvas names the pipeline, and needs no row of it.
    pipeline = SimpleNamespace(pk="", name=row.snapshot().name)
    context = {
        **conversation_context(row),
        "conversation": row,
        "pipeline": pipeline,
        "mode": "rehearse",
        "socket": socket,
    }
    return render(request, "rehearsal/read_only.html", context)
