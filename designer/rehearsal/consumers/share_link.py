"""Socket of a conversation for the holder of a share link: reading only."""

from __future__ import annotations

from designer.core import in_database, shared_conversation
from designer.models import Conversation
from designer.rehearsal.consumers.follower import Follower
from designer.rehearsal.consumers.rooms import Ticket


class WatchConsumer(Follower):
    """Reader with a share link; loses access at once when the link is revoked."""

    audience = "watchers"

    @property
    def token(self) -> str:
        """Token of the link."""
        token: str = self.scope["url_route"]["kwargs"]["token"]
        return token

    @property
    def ticket(self) -> Ticket:
        """The link."""
        return self.audience, self.token

    async def allowed(self) -> Conversation | None:
        """Return the conversation, if the link is valid."""
        return await in_database(shared_conversation, self.token)
