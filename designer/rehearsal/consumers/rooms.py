"""Everyone in this process who reads one conversation.

A bell is heard once for all of them, and what it tells of is read and rendered before any of them
is woken: then each has nothing left to do but send it. They are looked after together, too.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Coroutine
from itertools import islice
from math import ceil
from typing import Any, NamedTuple, Protocol

from channels.layers import get_channel_layer
from django.conf import settings

from designer.core import (
    PerEventLoop,
    in_database,
    join_group,
    leave_group,
    permission_group,
    session_group,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.consumers.event_batches import batches
from designer.rehearsal.fragments.break_points import render_break_points
from designer.rehearsal.fragments.queue import render_queue
from designer.rehearsal.fragments.wire_log import render_log_state
from designer.rehearsal.trace.trace_state import TraceState

log = logging.getLogger(__name__)

Message = dict[str, Any]
Ticket = tuple[str, str | None]
"""Permission of a reader: readers with an equal one are checked together."""

CHECK: Message = {"type": "reader.check"}
LOST: Message = {"type": "room.lost"}


class Around(NamedTuple):
    """Parts of the page beside the events, for people who may rehearse."""

    queue: str = ""
    break_points: str = ""
    log_state: str = ""
    """State of the wire log."""


class Guest(Protocol):
    """A reader, as the room knows it."""

    audience: str
    cursor: int | None
    trace_state: TraceState

    @property
    def person(self) -> int | None:
        """Id of the user; None for a share link."""

    @property
    def ticket(self) -> Ticket:
        """Permission of the reader."""

    async def allowed(self) -> Conversation | None:
        """The conversation, if the reader may look at it, or still may."""

    def lacks(self, seq: int, around: Around) -> bool:
        """Report whether there is anything to send to the reader at this position."""

    def take(self, message: Message) -> None:
        """Have it see to a message, as soon as it has done what it is at."""


class Room:
    """The readers of one conversation; it is there for as long as there is one."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation_id = conversation.pk
        self.groups = [live.group_of(conversation.pk)]
        if conversation.pipeline_id:
            self.groups.append(permission_group(conversation.pipeline_id))
        self.readers: dict[Guest, None] = {}
        """Readers, the one whose permission was checked longest ago first."""
        self._channel = ""
        self._opening: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Return as soon as bells are heard."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), context=contextvars.Context())
        await asyncio.shield(self._opening)

    async def hear_of(self, user_id: int) -> None:
        """Hear the bells about a person who reads here; it is left with the room."""
        if (group := session_group(user_id)) not in self.groups:
            self.groups.append(group)
            await join_group(group, self._channel)

    async def leave(self, reader: Guest) -> None:
        """Take a reader out; the last one closes the room."""
        self.readers.pop(reader, None)
        if self.readers:
            return
        self._vanish()
        tasks = [task for task in (self._opening, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._channel:
            for group in self.groups:
                await leave_group(group, self._channel)

    async def _open(self) -> None:
        self._channel = await get_channel_layer().new_channel()
        await self._join()
        self._tasks = [self._task(self._listen()), self._task(self._keep_watch())]

    async def _join(self) -> None:
        """Hear the bells; for who hears them already, nothing changes."""
        for group in self.groups:
            await join_group(group, self._channel)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._see_end)
        return task

    def _see_end(self, task: asyncio.Task[None]) -> None:
        """Let everyone go where the room fails: they come again, to another one."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Conversation %s: its room failed.", self.conversation_id, exc_info=error)
            self._vanish()
            self._tell(LOST)

    def _vanish(self) -> None:
        """Let nobody in any more."""
        if (rooms := _ROOMS.get()).get(self.conversation_id) is self:
            del rooms[self.conversation_id]

    # Bells

    async def _listen(self) -> None:
        """Hear one bell after the other."""
        layer, channel = get_channel_layer(), self._channel
        while True:
            await self._hear(await layer.receive(channel))

    async def _hear(self, bell: Message) -> None:
        match bell["type"]:
            case "journal.grown":
                live.attend(self.conversation_id)
                await self._read_ahead(bell["seq"])
                self._tell(bell)
            case "answers.streamed":
                self._tell(bell | {"deltas": [live.Delta(*one) for one in bell["deltas"]]})
            case "queue.changed" | "break_points.changed":
                await self._look()
            case "reader.check":
                await self._check_rights(self._tickets())
                await self._look()
            case "session.ended":
                await self._check_rights(self._tickets(of=bell["user"]))
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def _read_ahead(self, seq: int) -> None:
        """Have what is new rendered for those who have read the most, which are nearly all.

        What fails here fails for the readers again, and is theirs to say.
        """
        ahead: dict[str, Guest] = {}
        for reader in self.readers:
            if reader.cursor is not None and reader.cursor < seq:
                first = ahead.setdefault(reader.audience, reader)
                if reader.cursor > (first.cursor or 0):
                    ahead[reader.audience] = reader
        works = [
            batches().after(self.conversation_id, one.cursor or 0, one.trace_state, one.audience)
            for one in ahead.values()
        ]
        await asyncio.gather(*works, return_exceptions=True)

    def _tell(self, message: Message) -> None:
        for reader in self.readers:
            reader.take(message)

    # Keeping watch

    async def _keep_watch(self) -> None:
        """See from time to time what no bell told of, and whether everyone still may read."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await self._join()
            live.attend(self.conversation_id)
            await self._look()
            looks = max(1.0, settings.RIGHTS_CHECK_SECONDS / settings.READER_CHECK_SECONDS)
            tickets = self._tickets()
            await self._check_rights(dict(islice(tickets.items(), ceil(len(tickets) / looks))))

    async def _look(self) -> None:
        """See what is there, and wake those who have not got it."""
        found = await in_database(_look_at, self.conversation_id)
        if found is None:
            self._tell(CHECK)
            return
        seq, around = found
        await self._read_ahead(seq)
        message = {"type": "room.looked", "seq": seq, "around": around}
        for reader in self.readers:
            if reader.lacks(seq, around):
                reader.take(message)

    async def _check_rights(self, tickets: dict[Ticket, list[Guest]]) -> None:
        """Look whether tickets are still good; who has one that is not looks for itself."""
        for ticket, readers in tickets.items():
            is_good = await readers[0].allowed() is not None
            for reader in [one for one in self.readers if one.ticket == ticket]:
                self.readers[reader] = self.readers.pop(reader)
                if not is_good:
                    reader.take(CHECK)

    def _tickets(self, of: int | None = None) -> dict[Ticket, list[Guest]]:
        """The readers by what lets them in: all of them, or those of one person."""
        tickets: dict[Ticket, list[Guest]] = {}
        for reader in self.readers:
            if of is None or reader.person == of:
                tickets.setdefault(reader.ticket, []).append(reader)
        return tickets


async def enter(conversation: Conversation, reader: Guest) -> Room:
    """Let a reader into the room of a conversation; from then on it hears of everything."""
    rooms = _ROOMS.get()
    room = rooms.get(conversation.pk)
    if room is None:
        room = rooms[conversation.pk] = Room(conversation)
    room.readers[reader] = None
    try:
        await room.open()
        if reader.person is not None:
            await room.hear_of(reader.person)
    except BaseException:
        await room.leave(reader)
        raise
    return room


def around(conversation: Conversation) -> Around:
    """Return the parts of the page beside the events."""
    return Around(
        render_queue(conversation),
        render_break_points(conversation),
        render_log_state(conversation),
    )


def _look_at(conversation_id: int) -> tuple[int, Around] | None:
    row = Conversation.objects.without_definition().filter(pk=conversation_id).first()
    return (row.last_seq, around(row)) if row is not None else None


_ROOMS: PerEventLoop[dict[int, Room]] = PerEventLoop(dict)
