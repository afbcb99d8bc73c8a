"""Streams of server-sent events: their number, size and permission."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic

from ag_ui.core import RunErrorEvent
from django.conf import settings
from django.http import JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from designer.core import (
    ChannelLayerError,
    close_connections,
    in_database,
    listen,
    permission_group,
    session_group,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.agui.reader import AguiReader

RECONNECT_AFTER = 500
"""Milliseconds before a browser reconnects: a stream ends after a failed run and at its maximum
size."""

_RETRY = f"retry: {RECONNECT_AFTER}\n\n".encode()

UNAVAILABLE = 503

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Reader of a stream."""

    id: str
    """Identity of the user or of the share link, for the number of open streams."""
    find_conversation: Callable[[], Conversation | None]
    """Returns the conversation while the reader is allowed to read it."""
    user_id: int | None = None
    """Id of the user; None for a share link."""


_OPEN: dict[object, str] = {}
"""Open streams, with the ids of their readers."""


def refusal(text: str, status: int) -> JsonResponse:
    """Return a refusal for a program: `{"error": "…"}`."""
    return JsonResponse({"error": text}, status=status)


def is_within_limit(viewer: Viewer) -> bool:
    """Report whether another stream is allowed for this person or link, and in total."""
    own = list(_OPEN.values()).count(viewer.id)
    return len(_OPEN) < settings.AGUI_STREAMS and own < settings.AGUI_STREAMS_EACH


def stream(
    row: Conversation, viewer: Viewer, open_reader: Callable[[], AguiReader]
) -> HttpResponseBase:
    """Return the stream of a reader, which `open_reader` opens in a database thread."""
    if not is_within_limit(viewer):
        return refusal("Too many streams are open. Try again later.", UNAVAILABLE)
    frames = _limited(row, viewer, open_reader)
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # nginx must not buffer the stream
    return response


async def _limited(
    row: Conversation, viewer: Viewer, open_reader: Callable[[], AguiReader]
) -> AsyncGenerator[bytes, None]:
    """Yield the stream until its size limit, after which the client must reconnect.

    The server has no back pressure, and clients do not confirm what they received. A client that
    reconnects has read the whole previous stream, so unread data never exceeds one stream.
    """
    await close_connections()
    if not is_within_limit(viewer):  # others have begun since the first check
        yield _RETRY
        return
    opened, sent = object(), 0
    _OPEN[opened] = viewer.id
    try:
        reader = await in_database(open_reader)
        async with aclosing(_read(row, viewer, reader)) as frames:
            async for frame in frames:
                yield frame
                sent += len(frame)
                if sent >= settings.AGUI_BYTES:
                    if reader.chat is not None and not reader.is_over():
                        yield reader.frames([_TOO_LONG])
                    return
    except ChannelLayerError as error:
        log.warning("Refused a stream: %s", error)
        yield _RETRY
    finally:
        del _OPEN[opened]


_TOO_LONG = RunErrorEvent(
    message="The answer is longer than one stream: read its rest with a GET request.",
    code="too_long",
)


async def _read(
    row: Conversation, viewer: Viewer, reader: AguiReader
) -> AsyncGenerator[bytes, None]:
    """Yield the events of the reader, then new ones, while it is allowed to read."""
    async with listen(_groups(row, viewer.user_id)) as next_notification:
        checked = monotonic()
        yield _RETRY
        if reader.chat is not None:
            yield reader.frames(list(reader.chat.begin()))
        if (conversation := await in_database(viewer.find_conversation)) is None:
            return
        async for frame in reader.catch_up(conversation.last_seq):
            yield frame
        async for frame in reader.send_answers(live.streams_of(row.pk)):
            yield frame
        await live.request_answers(conversation)
        while not reader.is_over():
            notification = await next_notification(settings.READER_CHECK_SECONDS)
            # The permission is checked in time, however many notifications arrive.
            is_due = monotonic() - checked >= settings.READER_CHECK_SECONDS
            if is_due or notification["type"] in {"reader.check", "session.ended"}:
                checked = monotonic()
                if (conversation := await in_database(viewer.find_conversation)) is None:
                    return
                yield b": still here\n\n"
                async for frame in reader.catch_up(conversation.last_seq):
                    yield frame
            async for frame in reader.handle(notification):
                yield frame


def _groups(row: Conversation, user_id: int | None) -> list[str]:
    """Return the notification groups of a conversation and of the permission to read it."""
    groups = [live.group_of(row.pk)]
    if row.pipeline_id is not None:
        groups.append(permission_group(row.pipeline_id))
    if user_id is not None:
        groups.append(session_group(user_id))
    return groups
