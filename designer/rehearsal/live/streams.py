"""Notifications of a run in progress: recorded events and streamed text.

The channel layer may lose any message, or fail completely, without an effect on runs and sockets.
A notification contains only a number, and the events are in the database. A text has its offset,
every tenth frame contains the whole text, and the completed message replaces it. The members of a
group stream several answers at the same time.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple, Self

from designer.core import conversation_group, send_to_group, variants_group
from orchestration.cancellation import end_tasks
from orchestration.events import MessageDelta

FRAMES_PER_SECOND = 25
KEYFRAME_EVERY = 10

MAX_TRIES = 64
"""Maximum number of distinguished attempts of one turn."""


class Delta(NamedTuple):
    """Part of an answer in progress, as a message of the channel layer."""

    seq: int
    """Last event before the answer, without which a page has no element for it."""
    run_id: str
    """Id of the run, or of the subtask for its answer."""
    turn: int
    fence: int
    """Fence and attempt of the worker; the answer starts again with each."""
    offset: int
    """Position of the piece in the answer, in characters; 0: the whole answer so far."""
    text: str


def group_of(conversation_id: int) -> str:
    """Return the channel layer's group of a conversation's readers."""
    return conversation_group(conversation_id)


async def notify_events(conversation_id: int, seq: int) -> None:
    """Notify all readers that the events up to `seq` are recorded."""
    await send_to_group(group_of(conversation_id), {"type": "journal.grown", "seq": seq})


async def notify_queue(conversation_id: int) -> None:
    """Notify all readers that the queue has changed."""
    await send_to_group(group_of(conversation_id), {"type": "queue.changed"})


async def notify_queued(conversation_id: int) -> None:
    """Notify all readers that a run waits for a worker, usually for a moment."""
    await send_to_group(group_of(conversation_id), {"type": "run.queued"})


async def notify_break_points(conversation_id: int) -> None:
    """Notify all readers that the break points have changed."""
    await send_to_group(group_of(conversation_id), {"type": "break_points.changed"})


async def notify_variants(session_id: str) -> None:
    """Notify the readers of a conversation and its forks that there may be other variants."""
    await send_to_group(variants_group(session_id), {"type": "variants.changed"})


async def notify_interrupted(conversation_id: int, text: str) -> None:
    """Tell all readers the reason for which the run is interrupted."""
    await send_to_group(group_of(conversation_id), {"type": "run.interrupted", "text": text})


@dataclass(slots=True)
class _Answer:
    """Answer of a turn in progress, and its published part."""

    seq: int
    run_id: str
    turn: int
    text: str = ""
    published: int = 0
    frames: int = 0
    tries: int = 0

    def so_far(self, fence: int, offset: int = 0) -> Delta:
        """Return the text from an offset on."""
        fence = fence * MAX_TRIES + self.tries
        return Delta(self.seq, self.run_id, self.turn, fence, offset, self.text[offset:])

    def restart(self) -> None:
        """Discard the text, and publish that it is void."""
        self.text, self.published, self.frames = "", -1, 0
        self.tries = min(self.tries + 1, MAX_TRIES - 1)


class Stream:
    """Publisher of a run's texts, at most 25 frames per second, while it is open."""

    def __init__(self, conversation_id: int, fence: int) -> None:
        self.conversation_id, self.fence = conversation_id, fence
        self._answers: dict[str, _Answer] = {}
        """Answers by run; no run has two at the same time."""
        self._grown, self._is_open = asyncio.Event(), True
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        _STREAMS[self.conversation_id] = self
        self._pump = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if _STREAMS.get(self.conversation_id) is self:
            del _STREAMS[self.conversation_id]
        self._is_open = False  # the channel layer may swallow the cancellation of its caller
        self._grown.set()
        if self._pump is not None:
            await end_tasks([self._pump])

    def add(self, delta: MessageDelta) -> None:
        """Add a part of an answer to the next frame."""
        answer = self._answers.get(delta.run_id)
        if answer is None or answer.turn != delta.turn:
            answer = self._answers[delta.run_id] = _Answer(delta.seq, delta.run_id, delta.turn)
        answer.text = answer.text[: delta.offset] + delta.text
        self._grown.set()

    def restart_answer(self, run_id: str) -> None:
        """Discard an answer, because the model failed and is called again."""
        if answer := self._answers.get(run_id):
            answer.restart()
            self._grown.set()

    def end_answer(self, run_id: str) -> None:
        """Remove the answer of a run, which is recorded or will never be complete."""
        self._answers.pop(run_id, None)

    def repeat(self) -> None:
        """Publish each answer as a whole with the next frame, for new readers."""
        for answer in self._answers.values():
            answer.published, answer.frames = min(answer.published, 0), 0
        self._grown.set()

    def so_far(self) -> list[Delta]:
        """Return the whole text of each answer in progress, for a new reader."""
        return [answer.so_far(self.fence) for answer in self._answers.values()]

    async def _run(self) -> None:
        """Publish new text, one frame per interval.

        Each interval begins when the previous frame was due, so that delays do not add up.
        """
        loop, group = asyncio.get_running_loop(), group_of(self.conversation_id)
        due = 0.0
        while self._is_open:
            await self._grown.wait()
            self._grown.clear()
            due = max(due, loop.time())
            if deltas := self._next_frame():
                frame = {"type": "answers.streamed", "deltas": [list(delta) for delta in deltas]}
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
    """Return the answers in progress in this process."""
    stream = _STREAMS.get(conversation_id)
    return stream.so_far() if stream else []


def repeat_answers(conversation_id: int) -> None:
    """Publish the answers in progress in this process as a whole."""
    if (stream := _STREAMS.get(conversation_id)) is not None:
        stream.repeat()
