"""The events of a conversation, looked into: a page of them, one of them, all of them to scale."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.core import (
    HtmxHttpRequest,
    get_conversation,
    get_pipeline,
    may_edit_pipeline_of,
)
from designer.models import Conversation
from designer.rehearsal.actions.wire_log import switch_log
from designer.rehearsal.forms.trace import TraceForm
from designer.rehearsal.fragments.wire_log import exchanges_of
from designer.rehearsal.trace.contexts import contexts_of
from designer.rehearsal.trace.event_inspection import inspection_context
from designer.rehearsal.trace.timeline import timeline_of
from designer.rehearsal.trace.trace import earlier_chat, matching, render_track, rows
from designer.rehearsal.trace.trace_search import Query


@require_GET
@never_cache
def conversation_events(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Rows of the trace: a page of those that are asked for."""
    return trace_rows(request, get_conversation(request, pk))


@require_GET
def conversation_event(request: HtmxHttpRequest, pk: int, seq: int) -> HttpResponse:
    """One recorded event, whole, with what its turn sent or its handoff handed on."""
    conversation = get_conversation(request, pk)
    return trace_event(
        request, conversation, seq, may_edit=may_edit_pipeline_of(request, conversation)
    )


@require_POST
def switch_wire_log(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Keep the exchanges with the models from now on, or no more; who may edit may.

    Where exchanges are kept, switching it off asks first whether they are to be forgotten.
    """
    conversation = get_conversation(request, pk)
    if conversation.pipeline_id is None:
        raise Http404
    get_pipeline(request, conversation.pipeline_id, right="edit")
    is_on = request.POST.get("on") == "yes"
    forgets = 0 if is_on or request.POST.get("sure") else conversation.exchanges.count()
    if not forgets:
        switch_log(conversation=conversation, is_on=is_on)
    context = {"conversation": conversation, "may_log": True, "forgets": forgets}
    return render(request, "rehearsal/trace/_wire_log.html", context)


@require_GET
@never_cache
def conversation_earlier(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The part of the chat that comes before an event."""
    return earlier(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_track(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the effects of all events on the canvas, for the slider."""
    return track(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_timeline(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """One run to scale, a lane for each agent."""
    return timeline(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_contexts(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the context use of each agent."""
    return contexts(request, get_conversation(request, pk))


# For whoever may see a conversation, in whatever way they came


def trace_rows(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """The rows of a trace that a request asks for; with `after`, which of those past it."""
    wanted = _asked(request)
    query = Query(wanted["kind"], wanted["agent"], wanted["text"])
    if wanted["after"] is not None:
        return HttpResponse(escape(matching(conversation, query, wanted["after"])))
    return _html(rows(conversation, query, before=wanted["before"], around=wanted["around"]))


def trace_event(
    request: HtmxHttpRequest, conversation: Conversation, seq: int, *, may_edit: bool = False
) -> HttpResponse:
    """One event of a trace, looked into; who only watches sees no instructions.

    The exchanges of its turn are shown to who may edit the pipeline.
    """
    row = get_object_or_404(conversation.recorded_events, seq=seq)
    context = inspection_context(conversation, row)
    if may_edit:
        context["exchanges"] = exchanges_of(conversation, row)
    return render(request, "rehearsal/trace/_event_body.html", context)


def earlier(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """The part of a chat that comes before an event."""
    return _html(earlier_chat(conversation, _asked(request)["before"] or 1))


def track(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the effects of a trace's events on the canvas."""
    return _html(render_track(conversation))


def timeline(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """A run to scale."""
    shown = timeline_of(conversation, _asked(request)["run"])
    return render(request, "rehearsal/trace/_timeline.html", {"timeline": shown})


def contexts(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the context use of a trace's agents."""
    context = {"contexts": contexts_of(conversation)}
    return render(request, "rehearsal/trace/_contexts.html", context)


def _asked(request: HtmxHttpRequest) -> dict[str, Any]:
    """Parse the query of a trace; raise 404 if it is invalid."""
    form = TraceForm(request.GET)
    if not form.is_valid():
        raise Http404
    return form.cleaned_data


def _html(fragments: str) -> HttpResponse:
    return HttpResponse(mark_safe(fragments))  # noqa: S308 - each was escaped by its template
