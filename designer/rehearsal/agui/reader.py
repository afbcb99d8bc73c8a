"""Reading of a conversation as frames of server-sent events, from a position on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from ag_ui.core import BaseEvent, RunErrorEvent
from django.conf import settings

from designer.core import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.agui.agui_text import AnswerPart, AnswerProgress, message_id
from designer.rehearsal.agui.chat_run import ChatRun
from designer.rehearsal.agui.event_stream import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names
from orchestration.events import Event, RunStarted

BATCH = 200
"""Number of events per read."""

MIN_PARTS = 16
"""Minimum number of parts in which a stream of the maximum size is sent."""


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


class AguiReader:
    """A front end with its position in the conversation."""

    def __init__(
        self, conversation_id: int, seq: int, thread: AguiThread, chat: ChatRun | None = None
    ) -> None:
        self.conversation_id, self.seq, self.thread = conversation_id, seq, thread
        self.chat = chat
        """The run of a front end that chats; None for one that watches."""
        self.has_failed = False

    def is_over(self) -> bool:
        """True after a failed run, or the end of the chat's run: nothing may follow."""
        return self.has_failed or (self.chat is not None and self.chat.is_over)

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
        while self.seq < seq and not self.is_over():
            events = await in_database(_events, self.conversation_id, self.seq)
            if not events:
                return
            frames = b""
            for event in events:
                messages = protocol_events(event, self.thread)
                if self.chat is not None:
                    messages = self.chat.select(event, messages)
                self.seq = event.seq
                frames += self.frames(messages)
                self.has_failed = bool(messages) and isinstance(messages[-1], RunErrorEvent)
                if self.is_over():
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
        if self.is_over() or (self.chat is not None and not self.chat.is_running):
            return
        for delta in deltas:
            part = AnswerPart(delta.run_id, delta.turn, delta.fence, delta.offset, delta.text)
            if frames := self.frames(self.thread.answer_part(part)):
                yield frames

    def frames(self, messages: Sequence[BaseEvent]) -> bytes:
        """Return messages as frames; the last one has the reader's new position as its id."""
        lines = [f"data: {message.model_dump_json(by_alias=True)}\n" for message in messages]
        if not lines:
            return b""
        return ("\n".join(lines) + f"id: {Cursor.of(self.seq, self.thread)}\n\n").encode()


def _events(conversation_id: int, after: int) -> list[Event]:
    return Conversation(pk=conversation_id).events(after=after, at_most=BATCH)


def reader_at(row: Conversation, cursor: Cursor) -> AguiReader:
    """Return the reader of a front end that watches, at its position."""
    return AguiReader(row.pk, *thread_at(row, cursor))


def thread_at(row: Conversation, cursor: Cursor) -> tuple[int, AguiThread]:
    """Return the last sent event and the thread of a client at a position."""
    thread = AguiThread(f"conversation-{row.pk}", Names.of(row.snapshot()))
    seq = min(cursor.seq, row.last_seq)
    shown = row.recorded_events.filter(seq__lte=seq, type=RunStarted.__struct_config__.tag)
    own = shown.filter(body__session_id=row.session_id).order_by("-seq")
    last_two = own.values_list("seq", flat=True)[:2]  # the earlier run may have asked the user
    first = min(last_two, default=1)
    for event in row.events(after=first - 1, at_most=max(seq - first + 1, 0)):
        protocol_events(event, thread)
    for run_id, turn, fence, sent in cursor.answers:
        if (run_id, turn) in thread.steps:
            thread.answers[run_id, turn] = AnswerProgress(
                message_id(run_id, turn, fence), fence, sent
            )
    return seq, thread
