"""The channel layer of a single process: what rings goes straight to who waits for it.

Channels' own layer in memory copies each message for each reader, makes a task of each delivery
and looks through all channels for what is too old each time; with fifty conversations that stream,
it cost more than everything else together.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from contextlib import suppress
from typing import Any, ClassVar

from channels.layers import BaseChannelLayer

Message = dict[str, Any]


class Hub(BaseChannelLayer):
    """Delivers to the readers of this process; all are handed the same message, and keep it as is.

    A channel has one reader. To one that lags behind by `capacity` messages only the latest are
    kept: bells say where the journal is to be read, and the latest says it best. What is sent to
    a channel that nobody reads is lost.
    """

    extensions: ClassVar = ["groups", "flush"]

    def __init__(self, capacity: int = 100, **options: Any) -> None:
        super().__init__(capacity=capacity, **options)
        self.groups: dict[str, dict[str, None]] = {}
        self._boxes: dict[str, Mailbox] = {}

    async def new_channel(self, prefix: str = "specific.") -> str:
        """A name for what only one reader of this process hears."""
        return f"{prefix}hub!{secrets.token_hex(8)}"

    async def send(self, channel: str, message: Message) -> None:
        """Hand a message to one reader."""
        if (box := self._boxes.get(channel)) is not None:
            box.deliver(message, asyncio.get_running_loop())

    async def receive(self, channel: str) -> Message:
        """The next message for a reader, as soon as there is one."""
        box = self._box(channel)
        try:
            return await box.next()
        except asyncio.CancelledError:
            if not box.groups:
                self._boxes.pop(channel, None)
            raise

    async def group_add(self, group: str, channel: str) -> None:
        """Let a reader hear what is sent to a group."""
        self._box(channel).groups.add(group)
        self.groups.setdefault(group, {})[channel] = None

    async def group_discard(self, group: str, channel: str) -> None:
        """Let a reader hear it no more; who hears no group at all and waits for nothing is gone."""
        members = self.groups.get(group, {})
        members.pop(channel, None)
        if not members:
            self.groups.pop(group, None)
        if (box := self._boxes.get(channel)) is not None:
            box.groups.discard(group)
            if not box.groups and not box.is_read:
                del self._boxes[channel]

    async def group_send(self, group: str, message: Message) -> None:
        """Hand a message to every reader of a group."""
        loop, boxes = asyncio.get_running_loop(), self._boxes
        for channel in tuple(self.groups.get(group, ())):
            if (box := boxes.get(channel)) is not None:
                box.deliver(message, loop)

    async def flush(self) -> None:
        """Forget every reader."""
        self.groups.clear()
        self._boxes.clear()

    async def close(self) -> None:
        """Nothing is held open."""

    def _box(self, channel: str) -> Mailbox:
        box = self._boxes.get(channel)
        if box is None or box.loop.is_closed():
            loop = asyncio.get_running_loop()
            box = self._boxes[channel] = Mailbox(loop, self.get_capacity(channel))
        return box


class Mailbox:
    """Pending messages of one reader; if there are too many, only the latest."""

    __slots__ = ("_messages", "_waiting", "groups", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, capacity: int) -> None:
        self.loop = loop
        """The reader's event loop: no other loop touches this mailbox."""
        self.groups: set[str] = set()
        self._messages: deque[Message] = deque(maxlen=capacity)
        self._waiting: asyncio.Future[None] | None = None

    @property
    def is_read(self) -> bool:
        """Report whether somebody waits for the next message."""
        return self._waiting is not None

    def deliver(self, message: Message, sender: asyncio.AbstractEventLoop) -> None:
        """Put a message in, from whichever event loop."""
        if sender is self.loop:
            self.put(message)
        else:
            with suppress(RuntimeError):  # the reader's loop is closed, and so it is gone
                self.loop.call_soon_threadsafe(self.put, message)

    def put(self, message: Message) -> None:
        """Put a message in, from the reader's own event loop."""
        self._messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def next(self) -> Message:
        """Take the next message out, as soon as there is one."""
        while not self._messages:
            self._waiting = self.loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._messages.popleft()
