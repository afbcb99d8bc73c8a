"""Rooms: the readers of a conversation in this process.

A room receives each notification once, and renders the new events before it wakes its readers, so
that each only has to send them. It also checks the permissions of its readers.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Coroutine, Mapping
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
    open_channel,
    permission_group,
    session_group,
    variants_group,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.leases import place_in_queue
from designer.rehearsal.consumers.event_batches import batches
from designer.rehearsal.fragments.break_points import render_break_points
from designer.rehearsal.fragments.conversation import render_title
from designer.rehearsal.fragments.queue import render_queue
from designer.rehearsal.fragments.variants import render_variants, render_variants_mark
from designer.rehearsal.fragments.wire_log import render_log_state
from designer.rehearsal.trace.trace_state import TraceState
from orchestration.cancellation import end_tasks

log = logging.getLogger(__name__)

Message = dict[str, Any]
Ticket = tuple[str, str | None]
"""Permission of a reader: readers with an equal one are checked together."""

QUEUE_SECONDS = 1.0
"""Seconds between two looks at a queued run."""

CHECK: Message = {"type": "reader.check"}
LOST: Message = {"type": "room.lost"}


class Around(NamedTuple):
    """Parts of the page beside the events; empty parts are not on the page of an audience."""

    title: str = ""
    break_points: str = ""
    queue: str = ""
    log_state: str = ""
    """State of the wire log."""
    variants: str = ""
    """Positions of messages among their variants, or a mark that changes with them."""


Arounds = Mapping[str, Around]
"""Parts of the page beside the events, by audience."""


class Guest(Protocol):
    """Reader of a room."""

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
        """Return the conversation, if the reader is allowed to read it."""

    def lacks(self, seq: int, arounds: Arounds) -> bool:
        """Report whether there is anything to send to the reader at this position."""

    def take(self, message: Message) -> None:
        """Queue a message for the reader."""


class Room:
    """Readers of a conversation; the room exists as long as it has one."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation_id = conversation.pk
        self.groups = [live.group_of(conversation.pk), variants_group(conversation.session_id)]
        if conversation.pipeline_id:
            self.groups.append(permission_group(conversation.pipeline_id))
        self.readers: dict[Guest, None] = {}
        """Readers, ordered by the last check of their permission."""
        self._channel = ""
        self._opening: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._queued: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Return as soon as the room receives notifications."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), context=contextvars.Context())
        await asyncio.shield(self._opening)

    async def hear_of(self, user_id: int) -> None:
        """Receive the notifications about a user until the room is closed."""
        if (group := session_group(user_id)) not in self.groups:
            self.groups.append(group)
            await join_group(group, self._channel)

    async def leave(self, reader: Guest) -> None:
        """Remove a reader; the last one closes the room."""
        self.readers.pop(reader, None)
        if self.readers:
            return
        self._unregister()
        await end_tasks(
            task for task in (self._opening, self._queued, *self._tasks) if task is not None
        )
        if self._channel:
            for group in self.groups:
                await leave_group(group, self._channel)

    async def _open(self) -> None:
        self._channel = await open_channel()
        await self._join()
        self._tasks = [self._task(self._listen()), self._task(self._keep_watch())]
        self._show_queued()

    async def _join(self) -> None:
        """Join the groups; joining again has no effect."""
        for group in self.groups:
            await join_group(group, self._channel)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._see_end)
        return task

    def _see_end(self, task: asyncio.Task[None]) -> None:
        """Close the sockets of a failed room; the readers reconnect to another one."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Conversation %s: its room failed.", self.conversation_id, exc_info=error)
            self._unregister()
            self._tell(LOST)

    def _unregister(self) -> None:
        """Admit no more readers."""
        if (rooms := _ROOMS.get()).get(self.conversation_id) is self:
            del rooms[self.conversation_id]

    # Notifications

    async def _listen(self) -> None:
        """Handle one notification after the other."""
        layer, channel = get_channel_layer(), self._channel
        while True:
            await self._handle(await layer.receive(channel))

    async def _handle(self, message: Message) -> None:
        match message["type"]:
            case "journal.grown":
                await self._read_ahead(message["seq"])
                self._tell(message)
            case "answers.streamed":
                deltas = [live.Delta(*delta) for delta in message["deltas"]]
                self._tell(message | {"deltas": deltas})
            case "run.interrupted":
                self._tell(message)
            case "run.queued":
                self._show_queued()
            case "queue.changed" | "break_points.changed" | "variants.changed":
                await self._look()
            case "reader.check":
                await self._check_rights(self._tickets())
                await self._look()
            case "session.ended":
                await self._check_rights(self._tickets(user_id=message["user"]))
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def _read_ahead(self, seq: int) -> None:
        """Render the new events for the most advanced readers, which are nearly all.

        A failure is ignored, because the readers repeat it and report it.
        """
        leaders: dict[str, Guest] = {}
        for reader in self.readers:
            if reader.cursor is not None and reader.cursor < seq:
                first = leaders.setdefault(reader.audience, reader)
                if reader.cursor > (first.cursor or 0):
                    leaders[reader.audience] = reader
        works = [
            batches().after(
                self.conversation_id, reader.cursor or 0, reader.trace_state, reader.audience
            )
            for reader in leaders.values()
        ]
        await asyncio.gather(*works, return_exceptions=True)

    def _tell(self, message: Message) -> None:
        for reader in self.readers:
            reader.take(message)

    # Periodic checks

    async def _keep_watch(self) -> None:
        """Look for missed events and check permissions, at intervals."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await self._join()
            await self._look()
            rounds = max(1.0, settings.RIGHTS_CHECK_SECONDS / settings.READER_CHECK_SECONDS)
            tickets = self._tickets()
            await self._check_rights(dict(islice(tickets.items(), ceil(len(tickets) / rounds))))

    def _show_queued(self) -> None:
        """Show the place of a queued run until a worker claims it."""
        if self._queued is None or self._queued.done():
            self._queued = self._task(self._watch_queued())

    async def _watch_queued(self) -> None:
        """Look once a second until the run is not queued.

        Most runs are claimed before the first look; it removes a place that another look has shown.
        """
        is_queued = True
        while is_queued:
            await asyncio.sleep(QUEUE_SECONDS)
            is_queued = await in_database(place_in_queue, self.conversation_id) is not None
            await self._look()

    async def _look(self) -> None:
        """Read the state of the conversation, and wake the readers that lack a part of it."""
        audiences = {reader.audience for reader in self.readers}
        state = await in_database(_read_state, self.conversation_id, audiences)
        if state is None:
            self._tell(CHECK)
            return
        seq, arounds = state
        await self._read_ahead(seq)
        message = {"type": "room.looked", "seq": seq, "arounds": arounds}
        for reader in self.readers:
            if reader.audience in arounds and reader.lacks(seq, arounds):
                reader.take(message)

    async def _check_rights(self, tickets: dict[Ticket, list[Guest]]) -> None:
        """Check the permission of each ticket once; the readers of an invalid one check again."""
        for ticket, readers in tickets.items():
            is_valid = await readers[0].allowed() is not None
            for reader in [reader for reader in self.readers if reader.ticket == ticket]:
                self.readers[reader] = self.readers.pop(reader)
                if not is_valid:
                    reader.take(CHECK)

    def _tickets(self, user_id: int | None = None) -> dict[Ticket, list[Guest]]:
        """Return the readers by ticket: all of them, or those of one user."""
        tickets: dict[Ticket, list[Guest]] = {}
        for reader in self.readers:
            if user_id is None or reader.person == user_id:
                tickets.setdefault(reader.ticket, []).append(reader)
        return tickets


async def enter(conversation: Conversation, reader: Guest) -> Room:
    """Add a reader to the room of a conversation; it receives all later messages."""
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


def read_around(conversation: Conversation, audience: str) -> Around:
    """Return the parts of the page beside the events for an audience."""
    if audience == "watchers":
        return Around(
            render_title(conversation, is_watched=True),
            render_break_points(conversation, may_steer=False),
            variants=render_variants(conversation),
        )
    return Around(
        render_title(conversation, is_watched=False),
        render_break_points(conversation, may_steer=True),
        render_queue(conversation),
        render_log_state(conversation),
        render_variants_mark(conversation),
    )


def _read_state(conversation_id: int, audiences: set[str]) -> tuple[int, Arounds] | None:
    row = Conversation.objects.without_definition().filter(pk=conversation_id).first()
    if row is None:
        return None
    return row.last_seq, {audience: read_around(row, audience) for audience in audiences}


_ROOMS: PerEventLoop[dict[int, Room]] = PerEventLoop(dict)
