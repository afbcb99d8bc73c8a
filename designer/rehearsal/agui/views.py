"""A conversation for other front ends: AG-UI events over server-sent events."""

from __future__ import annotations

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
    HtmxHttpRequest,
    conversation_of_session,
    get_conversation,
    get_watched,
    in_database,
    let_go,
    listen,
    permission_group,
    session_group,
    watched,
)
from designer.models import Conversation
from designer.models.sign_in import digest
from designer.rehearsal import live
from designer.rehearsal.agui.agui_text import AnswerPart, AnswerProgress, message_id
from designer.rehearsal.agui.events import Retelling
from designer.rehearsal.fragments.names import Names
from orchestration.events import Event, RunStarted

BATCH = 200
"""Number of events per read."""

PIECES = 16
"""In how many pieces a stream goes its way that sends as much as one may."""

RECONNECT_AFTER = 500
"""Milliseconds after which a browser comes back: a stream ends with each run that failed, and when
enough was sent."""

_RETRY = f"retry: {RECONNECT_AFTER}\n\n".encode()


@dataclass(frozen=True, slots=True)
class Viewer:
    """Reader of a stream."""

    whose: str
    """By what it is counted how many they have open."""
    look: Callable[[], Conversation | None]
    """Finds the conversation, as long as they may read it."""
    user_id: int | None = None
    """Id of the user; None for a share link."""


@require_GET
async def conversation_agui(request: HtmxHttpRequest, pk: int) -> HttpResponseBase:
    """The conversation as AG-UI events, for who may open it."""
    row = await in_database(get_conversation, request, pk)
    look = partial(conversation_of_session, request.session.session_key, pk)
    viewer = Viewer(f"person {request.user.pk}", look, request.user.pk)
    return await _streamed(request, row, viewer)


@login_not_required
@require_GET
async def watch_agui(request: HtmxHttpRequest, token: str) -> HttpResponseBase:
    """The same for whoever has a link to watch it, from a page of any origin."""
    row = await in_database(get_watched, token)
    look = partial(watched, token)
    response = await _streamed(request, row, Viewer(f"link {digest(token)}", look))
    # No cookie counts here: the link alone is the right.
    response["Access-Control-Allow-Origin"] = "*"
    return response


async def _streamed(
    request: HtmxHttpRequest, row: Conversation, viewer: Viewer
) -> HttpResponseBase:
    """A stream from the beginning, or from what the reader has seen last."""
    try:
        cursor = Cursor.parse(request.headers.get("Last-Event-ID", ""))
    except ValueError:
        return HttpResponse("Last-Event-ID is none of this stream's.", status=400)
    if not _has_room(viewer.whose):
        return HttpResponse("Too many streams are open: try again in a while.", status=503)
    frames = _sent(row, cursor, viewer)
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # nginx would hold it back
    return response


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position of a reader: all up to an event, and a part of each answer in progress.

    As the id of a server-sent event: `17`, or `17;<run>.<turn>=<fence>:<characters>`.
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
        found = (_ANSWER.fullmatch(one) for one in answers)
        return cls(
            int(seq),
            tuple((one[1], int(one[2]), int(one[3]), int(one[4])) for one in found if one),
        )

    @classmethod
    def of(cls, seq: int, telling: Retelling) -> Cursor:
        """Return the position of a client."""
        answers = telling.answers.items()
        return cls(seq, tuple((*place, one.fence, one.sent) for place, one in answers))

    def __str__(self) -> str:
        answers = (f";{run}.{turn}={fence}:{sent}" for run, turn, fence, sent in self.answers)
        return f"{self.seq}{''.join(answers)}"


_ANSWER = re.compile(r"([A-Za-z0-9_.:@-]{1,300})\.([0-9]{1,9})=([0-9]{1,9}):([0-9]{1,9})")
_CURSOR = re.compile(rf"[0-9]{{1,9}}(;{_ANSWER.pattern}){{0,50}}")

_OPEN: dict[object, str] = {}
"""The streams that are open, and whose they are."""


def _has_room(whose: str) -> bool:
    """Report whether another stream is allowed for this person or link, and in total."""
    own = list(_OPEN.values()).count(whose)
    return len(_OPEN) < settings.AGUI_STREAMS and own < settings.AGUI_STREAMS_EACH


async def _sent(row: Conversation, cursor: Cursor, viewer: Viewer) -> AsyncGenerator[bytes, None]:
    """Yield the stream until its size limit, after which the client must reconnect.

    No server holds a writer back, and no front end says what has come. But one that comes again
    has read all of the stream before, so no more than one stream holds is ever on its way.
    """
    await let_go()
    if not _has_room(viewer.whose):  # others have begun since this one was let in
        yield _RETRY
        return
    stream, sent = object(), 0
    _OPEN[stream] = viewer.whose
    try:
        async with aclosing(_read(row, cursor, viewer)) as frames:
            async for frame in frames:
                yield frame
                sent += len(frame)
                if sent >= settings.AGUI_BYTES:
                    return
    finally:
        del _OPEN[stream]


async def _read(row: Conversation, cursor: Cursor, viewer: Viewer) -> AsyncGenerator[bytes, None]:
    """All that is past the cursor, then what comes, until the reader goes or may not read on."""
    async with listen(_heard_by(row, viewer.user_id)) as hear:
        looked = monotonic()
        yield _RETRY
        reader = _AguiClient(row.pk, *await in_database(_telling_of, row, cursor))
        async for frame in reader.catch_up(row.last_seq):
            yield frame
        if row.run_id:
            live.attend(row.pk)
        async for frame in reader.take(live.streams_of(row.pk)):
            yield frame
        while not reader.is_over:
            bell = await hear(settings.READER_CHECK_SECONDS)
            # However much there is to hear, the right to hear it is looked at in time.
            is_due = monotonic() - looked >= settings.READER_CHECK_SECONDS
            if is_due or bell["type"] in {"reader.check", "session.ended"}:
                looked = monotonic()
                if (found := await in_database(viewer.look)) is None:
                    return
                yield b": still here\n\n"
                async for frame in reader.hear({"type": "journal.grown", "seq": found.last_seq}):
                    yield frame
            async for frame in reader.hear(bell):
                yield frame


def _heard_by(row: Conversation, user_id: int | None) -> list[str]:
    """Return the notification groups of a conversation and of the permission to read it."""
    groups = [live.group_of(row.pk)]
    if row.pipeline_id is not None:
        groups.append(permission_group(row.pipeline_id))
    if user_id is not None:
        groups.append(session_group(user_id))
    return groups


class _AguiClient:
    """One front end: how far it was told."""

    def __init__(self, conversation_id: int, seq: int, telling: Retelling) -> None:
        self.conversation_id, self.seq, self.telling = conversation_id, seq, telling
        self.is_over = False
        """True if a run failed: nothing may follow in this stream."""

    async def hear(self, bell: dict[str, Any]) -> AsyncIterator[bytes]:
        """Yield the stream's part for a notification."""
        match bell["type"]:
            case "journal.grown":
                live.attend(self.conversation_id)
                heard = self.catch_up(bell["seq"])
            case "answers.streamed":
                heard = self.take([live.Delta(*one) for one in bell["deltas"]])
            case _:
                return
        async for frame in heard:
            yield frame

    async def catch_up(self, seq: int) -> AsyncIterator[bytes]:
        """The recorded events past the last one, in batches, as far as they go."""
        while self.seq < seq and not self.is_over:
            events = await in_database(_events, self.conversation_id, self.seq)
            if not events:
                return
            frames = b""
            for event in events:
                heard = self.telling.tell(event)
                self.seq = event.seq
                frames += self._frames(heard)
                if heard and isinstance(heard[-1], RunErrorEvent):
                    self.is_over = True
                    break
                if len(frames) >= settings.AGUI_BYTES // PIECES:
                    yield frames
                    frames = b""
            if frames:
                yield frames

    async def take(self, deltas: Sequence[live.Delta]) -> AsyncIterator[bytes]:
        """Yield the new pieces of the answers in progress, after the preceding events."""
        async for frame in self.catch_up(max((one.seq for one in deltas), default=0)):
            yield frame
        if self.is_over:
            return
        for one in deltas:
            piece = AnswerPart(one.run_id, one.turn, one.fence, one.offset, one.text)
            if frames := self._frames(self.telling.tell_piece(piece)):
                yield frames

    def _frames(self, heard: Sequence[BaseEvent]) -> bytes:
        """Events as frames; the last says how far the reader is, once it has all of them."""
        lines = [f"data: {one.model_dump_json(by_alias=True)}\n" for one in heard]
        if not lines:
            return b""
        return ("\n".join(lines) + f"id: {Cursor.of(self.seq, self.telling)}\n\n").encode()


def _events(conversation_id: int, after: int) -> list[Event]:
    return Conversation(pk=conversation_id).events(after=after, at_most=BATCH)


def _telling_of(row: Conversation, cursor: Cursor) -> tuple[int, Retelling]:
    """Return the state of a trace for a client at a position."""
    telling = Retelling(f"conversation-{row.pk}", Names.of(row.rehearsed()))
    seq = min(cursor.seq, row.last_seq)
    shown = row.recorded_events.filter(seq__lte=seq, type=RunStarted.__struct_config__.tag)
    own = shown.filter(body__session_id=row.session_id).order_by("-seq")
    first = own.values_list("seq", flat=True).first() or 1
    for event in row.events(after=first - 1, at_most=max(seq - first + 1, 0)):
        telling.tell(event)
    for run_id, turn, fence, sent in cursor.answers:
        if (run_id, turn) in telling.steps:
            telling.answers[run_id, turn] = AnswerProgress(
                message_id(run_id, turn, fence), fence, sent
            )
    return seq, telling
