"""Channel layer for a single process: messages go directly to the waiting readers.

Channels' in-memory layer copies each message for each reader, creates a task for each delivery and
scans all channels for expired messages each time. With fifty streaming conversations this cost
more than everything else together.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from contextlib import suppress
from typing import Any, ClassVar

from channels.layers import BaseChannelLayer

Message = dict[str, Any]


class LocalChannelLayer(BaseChannelLayer):
    """Delivery to the readers of this process. All readers share a message and must not change it.

    A channel has one reader. Only the latest `capacity` messages are kept for a slow reader: a
    notification only points to new rows, so the latest one suffices. A message to a channel
    without a reader is lost.
    """

    extensions: ClassVar = ["groups", "flush"]

    def __init__(self, capacity: int = 100, **options: Any) -> None:
        super().__init__(capacity=capacity, **options)
        self.groups: dict[str, dict[str, None]] = {}
        self._mailboxes: dict[str, Mailbox] = {}

    async def new_channel(self, prefix: str = "specific.") -> str:
        """Return a new channel name for one reader of this process."""
        return f"{prefix}hub!{secrets.token_hex(8)}"

    async def send(self, channel: str, message: Message) -> None:
        """Deliver a message to one reader."""
        if (mailbox := self._mailboxes.get(channel)) is not None:
            mailbox.deliver(message, asyncio.get_running_loop())

    async def receive(self, channel: str) -> Message:
        """Wait for the next message of a reader and return it."""
        mailbox = self._mailbox(channel)
        try:
            return await mailbox.next()
        except asyncio.CancelledError:
            if not mailbox.groups:
                self._mailboxes.pop(channel, None)
            raise

    async def group_add(self, group: str, channel: str) -> None:
        """Add a reader to a group."""
        self._mailbox(channel).groups.add(group)
        self.groups.setdefault(group, {})[channel] = None

    async def group_discard(self, group: str, channel: str) -> None:
        """Remove a reader from a group; delete its mailbox if it is idle and in no group."""
        members = self.groups.get(group, {})
        members.pop(channel, None)
        if not members:
            self.groups.pop(group, None)
        if (mailbox := self._mailboxes.get(channel)) is not None:
            mailbox.groups.discard(group)
            if not mailbox.groups and not mailbox.is_read:
                del self._mailboxes[channel]

    async def group_send(self, group: str, message: Message) -> None:
        """Deliver a message to every reader of a group."""
        loop, mailboxes = asyncio.get_running_loop(), self._mailboxes
        for channel in tuple(self.groups.get(group, ())):
            if (mailbox := mailboxes.get(channel)) is not None:
                mailbox.deliver(message, loop)

    async def flush(self) -> None:
        """Remove all readers."""
        self.groups.clear()
        self._mailboxes.clear()

    async def close(self) -> None:
        """Do nothing: the layer holds no resources."""

    def _mailbox(self, channel: str) -> Mailbox:
        mailbox = self._mailboxes.get(channel)
        if mailbox is None or mailbox.loop.is_closed():
            loop = asyncio.get_running_loop()
            mailbox = self._mailboxes[channel] = Mailbox(loop, self.get_capacity(channel))
        return mailbox


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
        """Report whether a reader waits for the next message."""
        return self._waiting is not None

    def deliver(self, message: Message, sender: asyncio.AbstractEventLoop) -> None:
        """Add a message from any event loop."""
        if sender is self.loop:
            self.put(message)
        else:
            with suppress(RuntimeError):  # the reader's event loop is closed
                self.loop.call_soon_threadsafe(self.put, message)

    def put(self, message: Message) -> None:
        """Add a message from the reader's own event loop."""
        self._messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def next(self) -> Message:
        """Wait for the next message, remove it and return it."""
        while not self._messages:
            self._waiting = self.loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._messages.popleft()
