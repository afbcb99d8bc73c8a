"""Events of a conversation: pages of the trace and the chat, one event, timeline and contexts."""

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
from designer.rehearsal.trace.trace import earlier_chat, matching, render_sums, render_track, rows
from designer.rehearsal.trace.trace_search import Query


@require_GET
@never_cache
def conversation_events(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return a page of matching rows of the trace."""
    return trace_rows(request, get_conversation(request, pk))


@require_GET
def conversation_event(request: HtmxHttpRequest, pk: int, seq: int) -> HttpResponse:
    """Return a recorded event, with the request of its turn or the context of its handoff."""
    conversation = get_conversation(request, pk)
    return trace_event(
        request, conversation, seq, may_edit=may_edit_pipeline_of(request, conversation)
    )


@require_POST
def switch_wire_log(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Switch the wire log on or off, with the permission to edit the pipeline.

    Switching it off requires a confirmation if it deletes exchanges.
    """
    conversation = get_conversation(request, pk)
    if conversation.pipeline_id is None:
        raise Http404
    get_pipeline(request, conversation.pipeline_id, right="edit")
    is_on = request.POST.get("on") == "yes"
    is_confirmed = is_on or request.POST.get("sure")
    unconfirmed = 0 if is_confirmed else conversation.exchanges.count()
    if not unconfirmed:
        switch_log(conversation=conversation, is_on=is_on)
    context = {"conversation": conversation, "may_log": True, "forgets": unconfirmed}
    return render(request, "rehearsal/trace/_wire_log.html", context)


@require_GET
@never_cache
def conversation_earlier(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return a page of the chat before an event."""
    return earlier(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_track(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the effects of all events on the canvas, for the slider."""
    return track(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_sums(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the usage until an event, for the slider."""
    return sums(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_timeline(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the timeline of one run."""
    return timeline(request, get_conversation(request, pk))


@require_GET
@never_cache
def conversation_contexts(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the context use of each agent."""
    return contexts(request, get_conversation(request, pk))


# Responses for users and for holders of a share link


def trace_rows(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the requested rows of a trace; with `after`, the numbers of later matching events."""
    fields = _query(request)
    query = Query(fields["kind"], fields["agent"], fields["text"])
    if fields["after"] is not None:
        return HttpResponse(escape(matching(conversation, query, fields["after"])))
    return _html(rows(conversation, query, before=fields["before"], around=fields["around"]))


def trace_event(
    request: HtmxHttpRequest, conversation: Conversation, seq: int, *, may_edit: bool = False
) -> HttpResponse:
    """Return an event of a trace; holders of a share link see no instructions.

    Users who may edit the pipeline see the exchanges of its turn.
    """
    row = get_object_or_404(conversation.recorded_events, seq=seq)
    context = inspection_context(conversation, row)
    if may_edit:
        context["exchanges"] = exchanges_of(conversation, row)
    return render(request, "rehearsal/trace/_event_body.html", context)


def earlier(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return a page of a chat before an event."""
    return _html(earlier_chat(conversation, _query(request)["before"] or 1))


def track(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the effects of a trace's events on the canvas."""
    return _html(render_track(conversation))


def sums(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the usage of a trace until an event, and the used budget of the run at it."""
    return _html(render_sums(conversation, _query(request)["at"] or 0))


def timeline(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the timeline of a run."""
    context = {"timeline": timeline_of(conversation, _query(request)["run"])}
    return render(request, "rehearsal/trace/_timeline.html", context)


def contexts(request: HtmxHttpRequest, conversation: Conversation) -> HttpResponse:
    """Return the context use of a trace's agents."""
    context = {"contexts": contexts_of(conversation)}
    return render(request, "rehearsal/trace/_contexts.html", context)


def _query(request: HtmxHttpRequest) -> dict[str, Any]:
    """Parse the query of a trace; raise 404 if it is invalid."""
    form = TraceForm(request.GET)
    if not form.is_valid():
        raise Http404
    return form.cleaned_data


def _html(fragments: str) -> HttpResponse:
    return HttpResponse(mark_safe(fragments))  # noqa: S308 - escaped by their templates
