"""Base of the socket consumers: message limit, permission checks and notifications."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import Error as AnyDatabaseError

from designer.core.database_failures import database_failure
from designer.core.notifications import ChannelLayerError, open_channel, request_check
from designer.core.rate_limit import Allowance
from orchestration.cancellation import end_tasks

BURST, PER_SECOND = 20.0, 5.0
"""Messages that a socket may send at once, and messages per second after that."""

MAX_REFUSED = 200
"""Excess messages in a row before the socket is closed."""

LOST = 1011
"""Close code after an internal error: the server can send nothing more (RFC 6455, 7.4.1)."""

NOT_ALLOWED = 4401
"""Close code for a reader who signed out or lost access."""

TOO_SLOW = 4408
"""Close code for a reader that no longer receives data; it may reconnect at once."""

TOO_MUCH = 4429
"""Close code for a reader that exceeds the message limit in spite of warnings."""


log = logging.getLogger(__name__)

Source = Callable[[], Awaitable[dict[str, Any]]]
"""Source of messages, one at a time: the page, or notifications."""


class RefusalError(Exception):
    """A refused message; the text is shown to its sender."""


class FloodError(Exception):
    """Far more messages than the limit allows."""


@contextmanager
def failures_refused() -> Iterator[None]:
    """Refuse a message if the database is busy, full, read-only or unreachable."""
    try:
        yield
    except AnyDatabaseError as error:
        failure = database_failure(error)
        if failure is None:
            raise
        raise RefusalError(failure.text) from error


class SocketReader(AsyncWebsocketConsumer):
    """Consumer for one socket."""

    ticker: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one socket until it ends; refuse it without a channel layer.

        The page of a refused socket connects again.
        """
        self.scope, self.base_send = scope, send
        try:
            await self.serve_reader(receive)
        except ChannelLayerError as error:
            log.warning("Refused a websocket: %s", error)
            await self.close()

    async def serve_reader(self, receive: Source) -> None:
        """Dispatch all messages until the end, then leave the groups and cancel the ticker."""
        notifications = await self.open_notifications()
        self.allowance, self.excess_messages = Allowance(BURST, PER_SECOND), 0
        try:
            await self.serve(receive, notifications)
        except StopConsumer:
            pass
        except FloodError:
            await self.close(TOO_MUCH)
        finally:
            if self.ticker is not None:
                self.ticker.cancel()
            await self.leave()

    async def open_notifications(self) -> Source:
        """Return the source of notifications: a channel of its own."""
        self.channel_layer = get_channel_layer()
        self.channel_name = await open_channel()
        return partial(self.channel_layer.receive, self.channel_name)

    async def serve(self, *sources: Source) -> None:
        """Dispatch the messages of all sources, one after the other.

        Each source has one task for the lifetime of the socket; the stock consumer creates one for
        every message. The end of one source ends all.
        """
        lock = asyncio.Lock()
        tasks = [asyncio.create_task(self.forward(source, lock)) for source in sources]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            async with lock:  # the current message is processed to its end
                pass
        finally:
            ended = [task for task in tasks if task.done()]
            await end_tasks(tasks)
            errors = [error for task in ended if (error := task.exception()) is not None]
        if errors:
            raise errors[0]

    async def forward(self, source: Source, lock: asyncio.Lock) -> None:
        """Dispatch the messages of one source, one at a time across all sources."""
        while True:
            message = await source()
            async with lock:
                await self.dispatch(message)

    async def leave(self) -> None:
        """Leave all joined groups, if the socket was accepted."""
        raise NotImplementedError

    async def accept_reader(self) -> None:
        """Accept the socket and start its periodic checks."""
        await self.accept()
        self.ticker = asyncio.create_task(self.tick())

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        """Stop, without the thread switch of the stock consumer."""
        raise StopConsumer

    async def send_html(self, html: str) -> None:
        """Send fragments; stop if the socket is closed."""
        try:
            await self.base_send({"type": "websocket.send", "text": html})
        except (OSError, RuntimeError) as error:  # ASGI servers raise different errors
            raise StopConsumer from error

    async def tick(self) -> None:
        """Request a check of this consumer at regular intervals."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await request_check(self.channel_name)

    @property
    def session_key(self) -> str | None:
        """Key of the session that opened the socket; its user is looked up for every message."""
        key: str | None = self.scope["cookies"].get(settings.SESSION_COOKIE_NAME)
        return key

    def check_rate_limit(self) -> None:
        """Raise `RefusalError` for a message above the limit."""
        if self.allowance.spend():
            self.excess_messages += 1
            if self.excess_messages > MAX_REFUSED:
                raise FloodError
            raise RefusalError("Too many messages at once. Wait a moment, then send it again.")
        self.excess_messages = 0
