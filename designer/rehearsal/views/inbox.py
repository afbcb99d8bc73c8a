"""The inbox: conversations that wait for a human or an approval."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import trigger_client_event

from designer.core import HtmxHttpRequest, call_async, get_conversation
from designer.rehearsal import live
from designer.rehearsal.actions.commands import QueueFullError, ReadOnlyError
from designer.rehearsal.fragments.inbox import count_waiting, inbox_context
from orchestration.control import TakeOver
from orchestration.exceptions import SteeringError


@require_GET
@never_cache
def inbox(request: HtmxHttpRequest) -> HttpResponse:
    """Show the conversations that wait for a human, and those that are taken."""
    return render(request, "rehearsal/inbox.html", inbox_context(request.user))


@require_GET
@never_cache
def inbox_count(request: HtmxHttpRequest) -> HttpResponse:
    """Return the link to the inbox with its count, if the page shows another count."""
    count = count_waiting(request.user)
    if request.GET.get("shown") == str(count):
        return HttpResponse(status=204)
    response = render(request, "components/_inbox_link.html", {"waiting_count": count})
    return trigger_client_event(response, "baton:waiting", {"count": count})


@require_POST
def conversation_take(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take over a conversation, and open it."""
    row = get_conversation(request, pk)
    by = request.user.get_username()
    try:
        call_async(live.command, row.pk, TakeOver(id=uuid4().hex, by=by))
    except (SteeringError, QueueFullError, ReadOnlyError) as refusal:
        messages.error(request, str(refusal) or "It cannot be taken now.")
    return redirect("conversation", row.pk)
