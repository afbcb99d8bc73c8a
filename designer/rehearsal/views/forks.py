"""Forks of a conversation: the form at an event, and the fork itself."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from designer.core import HtmxHttpRequest, call_async, get_conversation
from designer.models import Conversation, Pipeline
from designer.rehearsal import live
from designer.rehearsal.actions.conversations import NotRehearsableError
from designer.rehearsal.actions.forks import NotForkableError, fork_conversation
from designer.rehearsal.forms.fork import ForkForm
from designer.rehearsal.trace.plain_text import plain_row
from designer.rehearsal.trace.trace_window import trace_state_at
from designer.versions import select_definition
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, MessageReceived


@require_safe
@never_cache
def conversation_fork_now(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Redirect to the fork at the latest event, however old the page is."""
    row = get_conversation(request, pk)
    if not row.last_seq:
        messages.info(request, "This conversation has no events yet, so it cannot be forked.")
        return redirect("conversation", row.pk)
    return redirect("fork", row.pk, row.last_seq)


@require_http_methods(["GET", "POST"])
@never_cache
def conversation_fork(request: HtmxHttpRequest, pk: int, seq: int) -> HttpResponse:
    """Show the form of a fork, or create it."""
    row = get_conversation(request, pk)
    event = get_object_or_404(row.recorded_events, seq=seq)
    if request.method == "GET":
        where = "before" if event.type == "message.received" else "after"
        form = ForkForm(initial={"where": where, "runs": "same"})
        return _page(request, row, seq, form)
    form = ForkForm(request.POST)
    if not form.is_valid():
        return _page(request, row, seq, form, status=422)
    fields = form.cleaned_data
    is_edited = fields["runs"] == "edited" and row.pipeline is not None
    try:
        fork = fork_conversation(
            row,
            user=request.user,
            **{fields["where"]: seq},
            definition=_current(row) if is_edited else None,
            name=fields["name"],
        )
    except NotForkableError as error:
        form.add_error(None, str(error))
        return _page(request, row, seq, form, status=422)
    except NotRehearsableError as error:
        when = "is now" if is_edited else "was then"
        form.add_error(None, f"The pipeline cannot be rehearsed as it {when}: {error}")
        return _page(request, row, seq, form, status=422)
    call_async(live.announce)
    return redirect("conversation", fork.pk)


def _current(conversation: Conversation) -> PipelineDefinition:
    """Return the current definition of a conversation's pipeline."""
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    return select_definition(rows.get(conversations=conversation)).definition


def _page(
    request: HtmxHttpRequest, row: Conversation, seq: int, form: ForkForm, *, status: int = 200
) -> HttpResponse:
    [event] = row.events(after=seq - 1, at_most=1)
    elapsed, kind, subject, *_ = plain_row(event, trace_state_at(row, seq - 1))
    context = {
        "conversation": row,
        "pipeline": row.pipeline,
        "mode": "rehearse",
        "event": event,
        "elapsed": elapsed,
        "kind": kind,
        "what": subject,
        "said": event.message.text if isinstance(event, MessageReceived) else _text_of(event),
        "form": form,
        "has_changed": row.pipeline is not None and not _current(row).plays_like(row.snapshot()),
    }
    return render(request, "rehearsal/fork.html", context, status=status)


def _text_of(event: Event) -> str:
    """Return the message of an event, if any."""
    return str(getattr(event, "text", ""))
