"""The inbox: conversations that were given to the human, and wait until somebody takes them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from designer.fragments.inbox import inbox_context
from designer.http import HtmxHttpRequest


@require_GET
@never_cache
def inbox(request: HtmxHttpRequest) -> HttpResponse:
    """All conversations that wait for a human, and those that somebody has taken."""
    return render(request, "conversation/inbox.html", inbox_context(request.user))
