"""Base of the socket consumers: message limit, permission checks and notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.conf import settings

from designer.core.notifications import request_check
from designer.core.rate_limit import Allowance

BURST, PER_SECOND = 20.0, 5.0
"""Messages that a socket may send at once, and messages per second after that."""

MAX_REFUSED = 200
"""Excess messages in a row before the socket is closed."""

LOST = 1011
"""The close code for a reader to whom the server can tell nothing more (RFC 6455, 7.4.1)."""

NOT_ALLOWED = 4401
"""The close code for a reader who signed out, or may no longer open what it is about."""

TOO_SLOW = 4408
"""The close code for a reader to whom nothing comes any more: it may come again at once."""

TOO_MUCH = 4429
"""The close code for a reader who goes on sending after being told to wait."""


Source = Callable[[], Awaitable[dict[str, Any]]]
"""Source of messages, one at a time: the page, or notifications."""


class RefusalError(Exception):
    """A refused request, with a sentence for its sender."""


class FloodError(Exception):
    """Far too many messages came at once."""


class SocketReader(AsyncWebsocketConsumer):
    """Someone at the other end of a socket."""

    ticker: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one socket; whatever ends it, it leaves its groups and its ticker behind."""
        self.scope, self.base_send = scope, send
        bells = await self.bells()
        self.allowance, self.refused = Allowance(BURST, PER_SECOND), 0
        try:
            await self.serve(receive, bells)
        except StopConsumer:
            pass
        except FloodError:
            await self.close(TOO_MUCH)
        finally:
            if self.ticker is not None:
                self.ticker.cancel()
            await self.leave()

    async def bells(self) -> Source:
        """Return the source of notifications: a channel of its own."""
        self.channel_layer = layer = get_channel_layer()
        self.channel_name = await layer.new_channel()
        return partial(layer.receive, self.channel_name)

    async def serve(self, *sources: Source) -> None:
        """Hand on what the page sends and what the bells tell, one after the other.

        Each source has a task for as long as the socket lasts, where the stock consumer makes one
        for every message. Whatever ends one of them ends all.
        """
        turn = asyncio.Lock()
        tasks = [asyncio.create_task(self.hear(source, turn)) for source in sources]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            async with turn:  # what is being done is done to its end
                ended = [task for task in tasks if task.done()]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in ended:
            task.result()

    async def hear(self, source: Source, turn: asyncio.Lock) -> None:
        """Hand on the messages of one source, each when no other is being seen to."""
        while True:
            message = await source()
            async with turn:
                await self.dispatch(message)

    async def leave(self) -> None:
        """Take leave of whatever was joined, if the reader was let in."""
        raise NotImplementedError

    async def let_in(self) -> None:
        """Accept the reader, and look around for them from now on."""
        await self.accept()
        self.ticker = asyncio.create_task(self.tick())

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        """End, without the stock consumer's hop to a thread."""
        raise StopConsumer

    async def tell(self, html: str) -> None:
        """Send fragments. To a reader who has just left nothing can be sent: that is the end."""
        try:
            await self.base_send({"type": "websocket.send", "text": html})
        except (OSError, RuntimeError) as error:  # the ASGI servers have no one error for it
            raise StopConsumer from error

    async def tick(self) -> None:
        """Ask this consumer to look around, from time to time."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await request_check(self.channel_name)

    @property
    def session_key(self) -> str | None:
        """The session that opened the socket: whose it is, is asked anew every time."""
        key: str | None = self.scope["cookies"].get(settings.SESSION_COOKIE_NAME)
        return key

    def spend_allowance(self) -> None:
        """Refuse a message that comes too soon after too many others."""
        if self.allowance.spend():
            self.refused += 1
            if self.refused > MAX_REFUSED:
                raise FloodError
            raise RefusalError("Too many messages at once. Wait a moment, then send it again.")
        self.refused = 0
