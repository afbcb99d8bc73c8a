"""Views of a whole conversation: rename, delete, resend a message, handoff targets."""

from __future__ import annotations

from contextlib import suppress

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.core import HtmxHttpRequest, call_async, get_conversation, notify_conversation
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.commands import QueueFullError
from designer.rehearsal.actions.conversations import NotRehearsableError
from designer.rehearsal.actions.forks import NotForkableError
from designer.rehearsal.actions.rehearsals import (
    delete_conversation,
    rename_conversation,
    resend_message,
)
from designer.rehearsal.forms.rehearsal import ConversationNameForm, ResendForm
from designer.rehearsal.fragments.targets import targets_context


@require_POST
def conversation_rename(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Rename a conversation."""
    row = get_conversation(request, pk)
    form = ConversationNameForm(request.POST)
    if form.is_valid():
        rename_conversation(conversation=row, name=form.cleaned_data["name"])
        notify_conversation(row.pk)
    else:
        messages.error(request, _first(form))
    return redirect("conversation", row.pk)


@require_POST
def conversation_delete(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a conversation with its trace."""
    row = get_conversation(request, pk, right="own")
    with suppress(Conversation.DoesNotExist, live.NotEndedError):  # deleted on another page
        call_async(live.stop, row.pk)
    title, session_id, pipeline_id = row.title, row.session_id, row.pipeline_id
    delete_conversation(conversation=row)
    notify_conversation(pk)
    call_async(live.notify_variants, session_id)
    messages.success(request, f"“{title}” is deleted.")
    return redirect("rehearse", pipeline_id) if pipeline_id else redirect("pipelines")


@require_POST
def conversation_resend(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Send another message as a variant of an earlier one, or the same again, in a fork."""
    row = get_conversation(request, pk)
    form = ResendForm(request.POST)
    if not form.is_valid():
        messages.error(request, _first(form))
        return redirect("conversation", row.pk)
    try:
        fork = resend_message(conversation=row, user=request.user, **form.cleaned_data)
    except (NotForkableError, NotRehearsableError, QueueFullError) as error:
        messages.error(request, str(error))
        return redirect("conversation", row.pk)
    call_async(live.process_queue, fork.pk)
    address = reverse("conversation", args=[fork.pk])
    return redirect(f"{address}?drawer=1" if "drawer" in request.POST else address)


@require_GET
@never_cache
def steering_targets(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the handoff targets of the conversation."""
    row = get_conversation(request, pk)
    context = targets_context(row, back="back" in request.GET)
    return render(request, "rehearsal/control/_targets.html", context)


def _first(form: ConversationNameForm | ResendForm) -> str:
    return str(next(iter(form.errors.values()))[0])
