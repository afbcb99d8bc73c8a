"""Streams of a conversation for other front ends: AG-UI events over server-sent events."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from ag_ui.core import BaseEvent, RunErrorEvent
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from designer.core import (
    ChannelLayerError,
    HtmxHttpRequest,
    close_connections,
    conversation_of_session,
    get_conversation,
    get_shared_conversation,
    in_database,
    listen,
    permission_group,
    session_group,
    shared_conversation,
)
from designer.models import Conversation
from designer.models.sign_in import digest
from designer.rehearsal import live
from designer.rehearsal.agui.agui_text import AnswerPart, AnswerProgress, message_id
from designer.rehearsal.agui.event_stream import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names
from orchestration.events import Event, RunStarted

BATCH = 200
"""Number of events per read."""

MIN_PARTS = 16
"""Minimum number of parts in which a stream of the maximum size is sent."""

RECONNECT_AFTER = 500
"""Milliseconds before a browser reconnects: a stream ends after a failed run and at its maximum
size."""

_RETRY = f"retry: {RECONNECT_AFTER}\n\n".encode()

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


@require_GET
async def conversation_agui(request: HtmxHttpRequest, pk: int) -> HttpResponseBase:
    """Stream a conversation to a user who is allowed to open it."""
    row = await in_database(get_conversation, request, pk)
    find = partial(conversation_of_session, request.session.session_key, pk)
    viewer = Viewer(f"person {request.user.pk}", find, request.user.pk)
    return await _streamed(request, row, viewer)


@login_not_required
@require_GET
async def watch_agui(request: HtmxHttpRequest, token: str) -> HttpResponseBase:
    """Stream a conversation to the holder of a share link, from a page of any origin."""
    row = await in_database(get_shared_conversation, token)
    viewer = Viewer(f"link {digest(token)}", partial(shared_conversation, token))
    response = await _streamed(request, row, viewer)
    # Cookies do not matter here: the link alone is the permission.
    response["Access-Control-Allow-Origin"] = "*"
    return response


async def _streamed(
    request: HtmxHttpRequest, row: Conversation, viewer: Viewer
) -> HttpResponseBase:
    """Return a stream from the beginning, or from the reader's last position."""
    try:
        cursor = Cursor.parse(request.headers.get("Last-Event-ID", ""))
    except ValueError:
        return HttpResponse("Last-Event-ID is not an id of this stream. Omit it.", status=400)
    if not _is_within_limit(viewer.id):
        return HttpResponse("Too many streams are open. Try again later.", status=503)
    frames = _stream(row, cursor, viewer)
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # nginx must not buffer the stream
    return response


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position of a reader: the last event, and the sent part of each answer in progress.

    Its text is the id of a server-sent event: `17`, or `17;<run>.<turn>=<fence>:<characters>`.
    """

    seq: int = 0
    answers: tuple[tuple[str, int, int, int], ...] = ()
    """Run, turn, fence and number of sent characters of each answer."""

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Parse the last position of a reader; raise ValueError if it is invalid."""
        if not text:
            return cls()
        if not _CURSOR.fullmatch(text):
            raise ValueError(text[:80])
        seq, *answers = text.split(";")
        matches = (_ANSWER.fullmatch(answer) for answer in answers)
        return cls(
            int(seq),
            tuple((m[1], int(m[2]), int(m[3]), int(m[4])) for m in matches if m),
        )

    @classmethod
    def of(cls, seq: int, thread: AguiThread) -> Cursor:
        """Return the position of a client."""
        answers = thread.answers.items()
        return cls(seq, tuple((*key, answer.fence, answer.sent) for key, answer in answers))

    def __str__(self) -> str:
        answers = (f";{run}.{turn}={fence}:{sent}" for run, turn, fence, sent in self.answers)
        return f"{self.seq}{''.join(answers)}"


_ANSWER = re.compile(r"([A-Za-z0-9_.:@-]{1,300})\.([0-9]{1,9})=([0-9]{1,9}):([0-9]{1,9})")
_CURSOR = re.compile(rf"[0-9]{{1,9}}(;{_ANSWER.pattern}){{0,50}}")

_OPEN: dict[object, str] = {}
"""Open streams, with the ids of their readers."""


def _is_within_limit(viewer_id: str) -> bool:
    """Report whether another stream is allowed for this person or link, and in total."""
    own = list(_OPEN.values()).count(viewer_id)
    return len(_OPEN) < settings.AGUI_STREAMS and own < settings.AGUI_STREAMS_EACH


async def _stream(row: Conversation, cursor: Cursor, viewer: Viewer) -> AsyncGenerator[bytes, None]:
    """Yield the stream until its size limit, after which the client must reconnect.

    The server has no back pressure, and clients do not confirm what they received. A client that
    reconnects has read the whole previous stream, so unread data never exceeds one stream.
    """
    await close_connections()
    if not _is_within_limit(viewer.id):  # others have begun since the first check
        yield _RETRY
        return
    stream, sent = object(), 0
    _OPEN[stream] = viewer.id
    try:
        async with aclosing(_read(row, cursor, viewer)) as frames:
            async for frame in frames:
                yield frame
                sent += len(frame)
                if sent >= settings.AGUI_BYTES:
                    return
    except ChannelLayerError as error:
        log.warning("Refused a stream: %s", error)
        yield _RETRY
    finally:
        del _OPEN[stream]


async def _read(row: Conversation, cursor: Cursor, viewer: Viewer) -> AsyncGenerator[bytes, None]:
    """Yield the events after the cursor, then new ones, while the reader is allowed to read."""
    async with listen(_groups(row, viewer.user_id)) as next_notification:
        checked = monotonic()
        yield _RETRY
        reader = _AguiClient(row.pk, *await in_database(_thread_at, row, cursor))
        async for frame in reader.catch_up(row.last_seq):
            yield frame
        async for frame in reader.send_answers(live.streams_of(row.pk)):
            yield frame
        await live.request_answers(row)
        while not reader.is_over:
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


class _AguiClient:
    """A front end with its position in the conversation."""

    def __init__(self, conversation_id: int, seq: int, thread: AguiThread) -> None:
        self.conversation_id, self.seq, self.thread = conversation_id, seq, thread
        self.is_over = False
        """True after a failed run: nothing may follow in this stream."""

    async def handle(self, notification: dict[str, Any]) -> AsyncIterator[bytes]:
        """Yield the frames for a notification."""
        match notification["type"]:
            case "journal.grown":
                frames = self.catch_up(notification["seq"])
            case "answers.streamed":
                frames = self.send_answers([live.Delta(*row) for row in notification["deltas"]])
            case _:
                return
        async for frame in frames:
            yield frame

    async def catch_up(self, seq: int) -> AsyncIterator[bytes]:
        """Yield the recorded events up to a number, in batches."""
        while self.seq < seq and not self.is_over:
            events = await in_database(_events, self.conversation_id, self.seq)
            if not events:
                return
            frames = b""
            for event in events:
                messages = protocol_events(event, self.thread)
                self.seq = event.seq
                frames += self._frames(messages)
                if messages and isinstance(messages[-1], RunErrorEvent):
                    self.is_over = True
                    break
                if len(frames) >= settings.AGUI_BYTES // MIN_PARTS:
                    yield frames
                    frames = b""
            if frames:
                yield frames

    async def send_answers(self, deltas: Sequence[live.Delta]) -> AsyncIterator[bytes]:
        """Yield the new text of the answers in progress, after the preceding events."""
        async for frame in self.catch_up(max((delta.seq for delta in deltas), default=0)):
            yield frame
        if self.is_over:
            return
        for delta in deltas:
            part = AnswerPart(delta.run_id, delta.turn, delta.fence, delta.offset, delta.text)
            if frames := self._frames(self.thread.answer_part(part)):
                yield frames

    def _frames(self, messages: Sequence[BaseEvent]) -> bytes:
        """Return messages as frames; the last one has the reader's new position as its id."""
        lines = [f"data: {message.model_dump_json(by_alias=True)}\n" for message in messages]
        if not lines:
            return b""
        return ("\n".join(lines) + f"id: {Cursor.of(self.seq, self.thread)}\n\n").encode()


def _events(conversation_id: int, after: int) -> list[Event]:
    return Conversation(pk=conversation_id).events(after=after, at_most=BATCH)


def _thread_at(row: Conversation, cursor: Cursor) -> tuple[int, AguiThread]:
    """Return the last sent event and the thread of a client at a position."""
    thread = AguiThread(f"conversation-{row.pk}", Names.of(row.snapshot()))
    seq = min(cursor.seq, row.last_seq)
    shown = row.recorded_events.filter(seq__lte=seq, type=RunStarted.__struct_config__.tag)
    own = shown.filter(body__session_id=row.session_id).order_by("-seq")
    first = own.values_list("seq", flat=True).first() or 1
    for event in row.events(after=first - 1, at_most=max(seq - first + 1, 0)):
        protocol_events(event, thread)
    for run_id, turn, fence, sent in cursor.answers:
        if (run_id, turn) in thread.steps:
            thread.answers[run_id, turn] = AnswerProgress(
                message_id(run_id, turn, fence), fence, sent
            )
    return seq, thread
