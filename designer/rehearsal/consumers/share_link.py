"""Socket of a conversation for the holder of a share link: reading only."""

from __future__ import annotations

import asyncio

from django.utils import timezone

from designer.core import NOT_ALLOWED, in_database, share_link_of, shared_conversation
from designer.models import Conversation
from designer.rehearsal.consumers.follower import Follower
from designer.rehearsal.consumers.rooms import CHECK, Ticket

MARGIN = 0.1
"""Seconds from the expiry of a link until its readers are checked."""


class WatchConsumer(Follower):
    """Reader with a share link; loses access at once when the link is revoked or expires."""

    audience = "watchers"
    expiry: asyncio.TimerHandle | None = None
    """Timer of the link's expiry."""

    @property
    def token(self) -> str:
        """Token of the link."""
        token: str = self.scope["url_route"]["kwargs"]["token"]
        return token

    @property
    def ticket(self) -> Ticket:
        """The link."""
        return self.audience, self.token

    async def connect(self) -> None:
        """Accept the socket; for a link that no longer works, close it with the reason."""
        link = await in_database(share_link_of, self.token)
        if link is not None and await self.allowed() is None:
            await self.accept()
            await self.close(NOT_ALLOWED)
            return
        await super().connect()
        if link is not None and link.expires is not None:
            seconds = (link.expires - timezone.now()).total_seconds() + MARGIN
            self.expiry = asyncio.get_running_loop().call_later(seconds, self.take, CHECK)

    async def leave(self) -> None:
        """Leave the room."""
        if self.expiry is not None:
            self.expiry.cancel()
        await super().leave()

    async def allowed(self) -> Conversation | None:
        """Return the conversation, if the link is valid."""
        return await in_database(shared_conversation, self.token)
