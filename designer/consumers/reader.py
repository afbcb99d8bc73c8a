"""What the sockets have in common: a bound on messages, a look around from time to time."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from designer import live

BURST, PER_SECOND = 20.0, 5.0
"""How many messages a socket may send at once, and how many a second after that."""

MAX_REFUSED = 200
"""How many messages in a row may come too soon before the socket is closed."""

NOT_ALLOWED = 4401
"""The close code for a reader who signed out, or may no longer open what it is about."""

TOO_SLOW = 4408
"""The close code for a reader to whom nothing comes any more: it may come again at once."""

TOO_MUCH = 4429
"""The close code for a reader who goes on sending after being told to wait."""


class RefusalError(Exception):
    """What was asked for is not done, with a sentence for the person who asked."""


class FloodError(Exception):
    """Far too many messages came at once."""


class Reader(AsyncWebsocketConsumer):
    """Someone at the other end of a socket."""

    ticker: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one socket; whatever ends it, it leaves its groups and its ticker behind."""
        self.allowance, self.last_message = BURST, monotonic()
        self.refused = 0
        try:
            await super().__call__(scope, receive, send)
        except FloodError:
            await self.close(TOO_MUCH)
        finally:
            if self.ticker is not None:
                self.ticker.cancel()
            await self.leave()

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
            await self.send(html)
        except (OSError, RuntimeError) as error:  # the ASGI servers have no one error for it
            raise StopConsumer from error

    async def tick(self) -> None:
        """Ask this consumer to look around, from time to time."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await live.knock(self.channel_name)

    @property
    def session_key(self) -> str | None:
        """The session that opened the socket: whose it is, is asked anew every time."""
        key: str | None = self.scope["session"].session_key
        return key

    def spend_allowance(self) -> None:
        """Refuse a message that comes too soon after too many others."""
        now = monotonic()
        earned = (now - self.last_message) * PER_SECOND
        self.allowance, self.last_message = min(BURST, self.allowance + earned), now
        if self.allowance < 1:
            self.refused += 1
            if self.refused > MAX_REFUSED:
                raise FloodError
            raise RefusalError("Too many messages at once. Wait a moment, then send it again.")
        self.allowance -= 1
        self.refused = 0
