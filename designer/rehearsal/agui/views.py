"""AG-UI endpoints of a conversation: reading for users, reading and chat for share links.

Holders of a link may use a page of any origin, because cookies do not matter: the link alone is
the permission. Every refusal is a JSON object with `error`.
"""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods

from designer.core import (
    HtmxHttpRequest,
    conversation_of_session,
    get_conversation,
    in_database,
    shared_conversation,
)
from designer.models import Conversation, token_digest
from designer.rehearsal.agui.chat import chat
from designer.rehearsal.agui.reader import Cursor, reader_at
from designer.rehearsal.agui.streams import Viewer, refusal, stream

BAD_REQUEST, NOT_FOUND = 400, 404

CROSS_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}
"""Headers for pages of any origin (Fetch standard, CORS protocol); requests have no cookies."""


@require_GET
async def conversation_agui(request: HtmxHttpRequest, pk: int) -> HttpResponseBase:
    """Stream a conversation to a user who is allowed to open it."""
    row = await in_database(get_conversation, request, pk)
    find = partial(conversation_of_session, request.session.session_key, pk)
    return _watched(request, row, Viewer(f"person {request.user.pk}", find, request.user.pk))


@csrf_exempt
@login_not_required
@require_http_methods(["GET", "POST", "OPTIONS"])
async def watch_agui(request: HtmxHttpRequest, token: str) -> HttpResponseBase:
    """Stream a conversation to the holder of a share link, or chat with it."""
    response = await _answer_to_holder(request, token)
    for name, value in CROSS_ORIGIN.items():
        response[name] = value
    return response


async def _answer_to_holder(request: HtmxHttpRequest, token: str) -> HttpResponseBase:
    if request.method == "OPTIONS":  # the preflight request of a browser
        return HttpResponse(status=204)
    find = partial(shared_conversation, token)
    row = await in_database(find)
    if row is None:
        return refusal("This link does not work, or works no longer.", NOT_FOUND)
    viewer = Viewer(f"link {token_digest(token)}", find)
    if request.method == "POST":
        return await chat(request, row, token, viewer)
    return _watched(request, row, viewer)


def _watched(request: HtmxHttpRequest, row: Conversation, viewer: Viewer) -> HttpResponseBase:
    """Return a stream from the beginning, or from the reader's last position."""
    try:
        cursor = Cursor.parse(request.headers.get("Last-Event-ID", ""))
    except ValueError:
        return refusal("Last-Event-ID is not an id of this stream. Omit it.", BAD_REQUEST)
    return stream(row, viewer, partial(reader_at, row, cursor))
