"""Going back in a conversation, and on from there in another one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from designer import definitions
from designer.core import HtmxHttpRequest, get_conversation
from designer.models import Conversation, Pipeline
from designer.rehearsal.actions.conversations import NotRehearsableError
from designer.rehearsal.actions.forks import NotForkableError, fork_conversation
from designer.rehearsal.forms.fork import ForkForm
from designer.rehearsal.trace.plain_text import plain_row
from designer.rehearsal.trace.trace_window import trace_state_at
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, MessageReceived


@require_safe
@never_cache
def conversation_fork_now(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """On to the fork at the latest event there is, however long the page has been open."""
    row = get_conversation(request, pk)
    if not row.last_seq:
        messages.info(request, "Nothing has happened in it yet: there is nothing to fork.")
        return redirect("conversation", row.pk)
    return redirect("fork", row.pk, row.last_seq)


@require_http_methods(["GET", "POST"])
@never_cache
def conversation_fork(request: HtmxHttpRequest, pk: int, seq: int) -> HttpResponse:
    """Show the form of a fork, or create it."""
    row = get_conversation(request, pk)
    event = get_object_or_404(row.recorded_events, seq=seq)
    if request.method == "GET":
        before = "before" if event.type == "message.received" else "after"
        form = ForkForm(initial={"where": before, "runs": "same"})
        return _page(request, row, seq, form)
    form = ForkForm(request.POST)
    if not form.is_valid():
        return _page(request, row, seq, form, status=422)
    wanted = form.cleaned_data
    is_edited = wanted["runs"] == "edited" and row.pipeline is not None
    try:
        fork = fork_conversation(
            row,
            user=request.user,
            **{wanted["where"]: seq},
            definition=_now(row) if is_edited else None,
            name=wanted["name"],
        )
    except NotForkableError as error:
        form.add_error(None, str(error))
        return _page(request, row, seq, form, status=422)
    except NotRehearsableError as error:
        when = "is now" if is_edited else "was then"
        form.add_error(None, f"The pipeline cannot be rehearsed as it {when}: {error}")
        return _page(request, row, seq, form, status=422)
    return redirect("conversation", fork.pk)


def _now(conversation: Conversation) -> PipelineDefinition:
    """The pipeline as it is now."""
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    return definitions.read(rows.get(conversations=conversation))


def _page(
    request: HtmxHttpRequest, row: Conversation, seq: int, form: ForkForm, *, status: int = 200
) -> HttpResponse:
    [event] = row.events(after=seq - 1, at_most=1)
    elapsed, kind, what, *_ = plain_row(event, trace_state_at(row, seq - 1))
    context = {
        "conversation": row,
        "pipeline": row.pipeline,
        "mode": "rehearse",
        "event": event,
        "elapsed": elapsed,
        "kind": kind,
        "what": what,
        "said": event.message.text if isinstance(event, MessageReceived) else _text_of(event),
        "form": form,
        "has_changed": row.pipeline is not None and not _now(row).plays_like(row.snapshot()),
    }
    return render(request, "rehearsal/fork.html", context, status=status)


def _text_of(event: Event) -> str:
    """Return the message of an event, if any."""
    return str(getattr(event, "text", ""))
