"""Page of a rehearsal, with canvas, chat and supervisor pane, and the start of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlencode
from uuid import uuid4

import msgspec
from csp.constants import SELF
from csp.decorators import csp_replace
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET, require_http_methods

from designer import definitions
from designer.core import (
    VARIABLE_FIELD,
    GoneError,
    HtmxHttpRequest,
    MalformedError,
    Say,
    call_async,
    check,
    conversations_in,
    get_conversation,
    get_pipeline,
    may_edit_pipeline_of,
    owns_conversation,
)
from designer.models import Conversation, Pipeline, read_events
from designer.rehearsal import live
from designer.rehearsal.actions.conversations import NotRehearsableError, start_conversation
from designer.rehearsal.forms.rehearsal import StartForm
from designer.rehearsal.fragments.break_points import marks
from designer.rehearsal.fragments.conversation import (
    conversation_context,
    empty_context,
    problems,
)
from designer.rehearsal.fragments.variants import variants_of
from designer.rehearsal.trace.trace_window import trace_state_at
from designer.rehearsal.views.read_only import reading_page
from designer.versions import (
    DRAFT,
    SelectedDefinition,
    UnknownVersionError,
    live_version,
    select_definition,
)
from orchestration.events import RunStarted
from orchestration.messages import CHANNELS

View = Callable[..., HttpResponse]

VERSION_FIELD = "start_version"
"""Name of the field with the version of a new conversation."""

MAX_VERSIONS = 100
"""Maximum number of versions to choose from, the newest ones."""

MAX_LISTED = 20
"""Maximum number of earlier conversations on the page."""


def in_frames_of_editor(view: View) -> View:
    """Allow the pages of this site to show a view in a frame: the drawer of the editor."""
    framed = csp_replace({"frame-ancestors": [SELF]})(xframe_options_sameorigin(view))
    return cast("View", framed)


@in_frames_of_editor
@require_GET
@never_cache
def rehearse(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Continue the user's newest rehearsal if it has not ended, or show the page that starts one.

    With `new` or `start_phase` the page always starts another one.
    """
    pipeline = get_pipeline(request, pk, right="edit")
    if "new" in request.GET or "start_phase" in request.GET:
        return _render_empty(request, pipeline)
    own = conversations_in(request, pipeline).filter(started_by=request.user)
    newest = own.without_definition().first()
    if newest is None or trace_state_at(newest, newest.last_seq).has_ended:
        return _render_empty(request, pipeline)
    if not newest.last_seq and newest.pipeline_version != pipeline.version:
        return _render_empty(request, pipeline)
    return _opened(request, newest, continued="1" if newest.last_seq else "")


@in_frames_of_editor
@require_http_methods(["GET", "POST"])
def conversation_create(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Start a conversation, optionally with a first message; break points may be set before it.

    After a refusal the address remains in the browser, so a GET request redirects to the page.
    """
    pipeline = get_pipeline(request, pk)
    if request.method == "GET":
        return redirect("rehearse", pipeline.pk)
    first: Say | None = None
    selected = _selected(request, pipeline)
    start = StartForm(request.POST, definition=selected.definition)
    if "text" in request.POST:
        try:
            first = _first(request, start)
        except MalformedError as error:
            inputs = {name: request.POST.get(name, "") for name in ("text", "intent")}
            channel = request.POST.get("channel_type", "")
            return _render_empty(
                request, pipeline, refusal=str(error), status=422, channel=channel, **inputs
            )
    try:
        choice = request.POST.get(VERSION_FIELD) or DRAFT
        conversation = start_conversation(
            pipeline=pipeline, user=request.user, choice=choice, break_points=start.break_points()
        )
    except (NotRehearsableError, UnknownVersionError):
        if first is None and conversations_in(request, pipeline).exists():
            return redirect("rehearse", pipeline.pk)  # the page lists the problems
        return _render_empty(request, pipeline, status=422)
    except GoneError as error:
        raise Http404 from error
    if first is not None:
        message = msgspec.structs.replace(
            first.inbound(), start_phase=start.cleaned_data["start_phase"] or None
        )
        call_async(live.say, conversation.pk, message)
    return _opened(request, conversation)


@in_frames_of_editor
@require_GET
@never_cache
def conversation(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show a conversation with its events so far, and a socket for later ones."""
    row = get_conversation(request, pk)
    pipeline = row.pipeline
    if pipeline is None:
        return reading_page(request, row)
    original = row.snapshot()
    is_outdated = row.edits_since is not None or row.version is None
    is_outdated = is_outdated and pipeline.version != row.pipeline_version
    now = definitions.read(pipeline) if is_outdated else original
    context = {
        **conversation_context(row),
        **_around(request, pipeline),
        **_last_message_fields(row),
        "conversation": row,
        "is_continued": "continued" in request.GET,
        "origin": _origin(request, row),
        "has_forks": row.forked_at is not None or row.forks.exists(),
        "variants": variants_of(row, conversations_in(request, pipeline)),
        "may_switch": True,
        "steering": True,
        "may_log": may_edit_pipeline_of(request, row),
        "may_delete": owns_conversation(request, row),
        "has_changed": not now.plays_like(original),
        "problems": problems(pipeline, request.user, now),
    }
    return _rendered(request, context)


def _last_message_fields(row: Conversation) -> dict[str, str]:
    """Return the channel and the intent of the last message, for the next one.

    A run without a message continues after a hand-back.
    """
    runs = row.recorded_events.filter(
        type="run.started", body__session_id=row.session_id, body__message__has_key="channel_type"
    )
    for event in read_events(runs.order_by("-seq")[:1]):
        if isinstance(event, RunStarted) and event.message is not None:
            return {"channel": event.message.channel_type, "intent": event.message.intent or ""}
    return {}


def _origin(request: HtmxHttpRequest, row: Conversation) -> Conversation | None:
    """Return the origin of a fork, if the user may still open it."""
    if row.forked_from_id is None:
        return None
    rows = Conversation.objects.of(request.user).without_definition()
    return rows.filter(pk=row.forked_from_id).first()


def _first(request: HtmxHttpRequest, start: StartForm) -> Say:
    """Return the message that starts a new conversation, with a valid state to begin with."""
    if not start.is_valid():
        raise MalformedError(next(iter(start.errors.values()))[0])
    operation = check({"op": "say", **request.POST.dict()})
    if not isinstance(operation, Say):
        raise MalformedError("Only a message can start a conversation.")
    return operation


def _render_empty(
    request: HtmxHttpRequest, pipeline: Pipeline, *, status: int = 200, **context: str
) -> HttpResponse:
    selected = _selected(request, pipeline)
    definition = selected.definition
    start = StartForm(request.POST or request.GET, definition=definition)
    page = {
        **empty_context(definition),
        **_around(request, pipeline),
        "start": start,
        "break_points": list(marks(start.break_points())),
        "variables": [
            (name, request.POST.get(f"{VARIABLE_FIELD}{name}", default))
            for name, default in definition.variables.items()
        ],
        "version": selected.choice,
        "versions": pipeline.versions.without_definition()[:MAX_VERSIONS],
        "live": live_version(pipeline),
        **context,
        "problems": problems(pipeline, request.user, definition),
    }
    return _rendered(request, page, status=status)


def _selected(request: HtmxHttpRequest, pipeline: Pipeline) -> SelectedDefinition:
    """Return the definition that the request chooses, the draft if there is no such version."""
    choice = request.POST.get(VERSION_FIELD) or request.GET.get(VERSION_FIELD) or DRAFT
    try:
        return select_definition(pipeline, choice)
    except UnknownVersionError as error:
        messages.error(request, str(error))
        return select_definition(pipeline)


def _rendered(
    request: HtmxHttpRequest, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return the page, or only its chat for the drawer next to the drawing."""
    if not _is_drawer(request):
        return render(request, "rehearsal/rehearse.html", context, status=status)
    page = context | {"is_drawer": True}
    return render(request, "rehearsal/drawer.html", page, status=status)


def _opened(request: HtmxHttpRequest, row: Conversation, **query: str) -> HttpResponse:
    """Redirect to a conversation, within the drawer if the request came from it."""
    query = {"drawer": "1"} | query if _is_drawer(request) else query
    given = {name: value for name, value in query.items() if value}
    address = reverse("conversation", args=[row.pk])
    return redirect(f"{address}?{urlencode(given)}" if given else address)


def _is_drawer(request: HtmxHttpRequest) -> bool:
    return "drawer" in request.GET or "drawer" in request.POST


def _around(request: HtmxHttpRequest, pipeline: Pipeline) -> dict[str, Any]:
    """Return the context of the page beside the conversation."""
    earlier = list(conversations_in(request, pipeline).with_first_message()[:MAX_LISTED])
    return {
        "pipeline": pipeline,
        "mode": "rehearse",
        "conversations": earlier,
        "may_export": pipeline.owner_id == request.user.pk,
        "channels": CHANNELS.items(),
        "message_id": uuid4().hex,
    }
