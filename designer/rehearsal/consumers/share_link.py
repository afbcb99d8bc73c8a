"""The socket of who watches a conversation by a link: to read it, and nothing else."""

from __future__ import annotations

from designer.core import in_database, shared_conversation
from designer.models import Conversation
from designer.rehearsal.consumers.follower import Follower
from designer.rehearsal.consumers.rooms import Ticket


class WatchConsumer(Follower):
    """One reader who has a link. It is shut out at once when the link is revoked."""

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
        """The conversation, as long as the link opens it."""
        return await in_database(shared_conversation, self.token)
