"""Notifications of a run in progress: recorded events and streamed text.

The channel layer may lose anything, and may be gone altogether: no run and no socket fails with it.
The bell carries only a number, and the events behind it are in the database. A text carries its
offset, every tenth frame all of it from the beginning, and the completed message replaces it.
Several may be under way at once: the members of a group speak together.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple, Self

from designer.core import conversation_group, send_to_group
from orchestration.events import MessageDelta

FRAMES_PER_SECOND = 25
KEYFRAME_EVERY = 10

MAX_TRIES = 64
"""Maximum number of distinguished attempts of one turn."""


class Delta(NamedTuple):
    """A piece of an answer under way, as it travels through the channel layer."""

    seq: int
    """An event after which it streams: a reader who has not seen that far has no place for it."""
    run_id: str
    """The run's, or for a subtask's answer the subtask's own id."""
    turn: int
    fence: int
    """Fence and attempt of the worker: each begins the answer anew."""
    offset: int
    """Position of the piece in the answer, in characters; 0: the whole answer so far."""
    text: str


def group_of(conversation_id: int) -> str:
    """The channel layer's group of everyone who reads a conversation."""
    return conversation_group(conversation_id)


async def ring(conversation_id: int, seq: int) -> None:
    """Tell every reader that events up to `seq` are recorded."""
    await send_to_group(group_of(conversation_id), {"type": "journal.grown", "seq": seq})


async def ring_queue(conversation_id: int) -> None:
    """Tell every reader that something else waits than before."""
    await send_to_group(group_of(conversation_id), {"type": "queue.changed"})


async def ring_break_points(conversation_id: int) -> None:
    """Tell every reader that runs stand still elsewhere than before."""
    await send_to_group(group_of(conversation_id), {"type": "break_points.changed"})


@dataclass(slots=True)
class _Answer:
    """An answer under way: which turn's it is, its text, and how much of it is out."""

    seq: int
    run_id: str
    turn: int
    text: str = ""
    published: int = 0
    frames: int = 0
    tries: int = 0

    def so_far(self, fence: int, offset: int = 0) -> Delta:
        """The text from the offset on."""
        fence = fence * MAX_TRIES + self.tries
        return Delta(self.seq, self.run_id, self.turn, fence, offset, self.text[offset:])

    def begin_anew(self) -> None:
        """Forget the text, and publish that it is gone."""
        self.text, self.published, self.frames = "", -1, 0
        self.tries = min(self.tries + 1, MAX_TRIES - 1)


class Stream:
    """Publishes the texts of one run, at most 25 frames a second, while it is open."""

    def __init__(self, conversation_id: int, fence: int) -> None:
        self.conversation_id, self.fence = conversation_id, fence
        self._answers: dict[str, _Answer] = {}
        """By the runs that they are of: none has two answers under way."""
        self._grown = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        _STREAMS[self.conversation_id] = self
        self._pump = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if _STREAMS.get(self.conversation_id) is self:
            del _STREAMS[self.conversation_id]
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)

    def add(self, delta: MessageDelta) -> None:
        """Take in a piece; it is published with the next frame."""
        answer = self._answers.get(delta.run_id)
        if answer is None or answer.turn != delta.turn:
            answer = self._answers[delta.run_id] = _Answer(delta.seq, delta.run_id, delta.turn)
        answer.text = answer.text[: delta.offset] + delta.text
        self._grown.set()

    def begin_anew(self, run_id: str) -> None:
        """Take back what was said: the model failed in the middle of it, and is asked again."""
        if answer := self._answers.get(run_id):
            answer.begin_anew()
            self._grown.set()

    def end_answer(self, run_id: str) -> None:
        """Forget the answer of a run: it is recorded as a whole, or will never be."""
        self._answers.pop(run_id, None)

    def so_far(self) -> list[Delta]:
        """All of each answer under way, for a reader who joins in the middle of it."""
        return [answer.so_far(self.fence) for answer in self._answers.values()]

    async def _run(self) -> None:
        """Publish what has grown, and the next frame a twentieth of a second after this one.

        After this one was due, not after it was out: frames do not fall behind each other.
        """
        loop, group = asyncio.get_running_loop(), group_of(self.conversation_id)
        due = 0.0
        while True:
            await self._grown.wait()
            self._grown.clear()
            due = max(due, loop.time())
            if deltas := self._next_frame():
                frame = {"type": "answers.streamed", "deltas": [list(one) for one in deltas]}
                await send_to_group(group, frame)
            due += 1 / FRAMES_PER_SECOND
            await asyncio.sleep(due - loop.time())

    def _next_frame(self) -> list[Delta]:
        """Return the new text of each answer."""
        deltas: list[Delta] = []
        for answer in self._answers.values():
            if answer.published < len(answer.text):
                is_key = answer.frames % KEYFRAME_EVERY == 0
                deltas.append(answer.so_far(self.fence, 0 if is_key else answer.published))
                answer.frames += 1
                answer.published = len(answer.text)
        return deltas


_STREAMS: dict[int, Stream] = {}


def streams_of(conversation_id: int) -> list[Delta]:
    """The answers under way in this process."""
    stream = _STREAMS.get(conversation_id)
    return stream.so_far() if stream else []
