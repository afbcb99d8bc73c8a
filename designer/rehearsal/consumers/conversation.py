"""The socket of a conversation for those who may rehearse: to read it, and to step in."""

from __future__ import annotations

from dataclasses import replace

from designer.core import (
    BreakPoint,
    Operation,
    RefusalError,
    Say,
    StopMessage,
    Withdraw,
    conversation_and_user_of_session,
    in_database,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.commands import MAX_WAITING, QueueFullError, ReadOnlyError
from designer.rehearsal.consumers.follower import Follower
from designer.rehearsal.consumers.rooms import Around, around
from orchestration.control import Command
from orchestration.exceptions import SteeringError


class ConversationConsumer(Follower):
    """One reader of one conversation who may rehearse its pipeline."""

    user_id = 0
    username = ""
    """Name of the user of the socket's session."""
    shown = Around()
    """State of the page beside the events."""

    @property
    def person(self) -> int | None:
        """Id of the user."""
        return self.user_id

    async def allowed(self) -> Conversation | None:
        """The conversation, if whoever signed in with this socket's session may still open it."""
        pk = self.conversation_id or self.scope["url_route"]["kwargs"]["pk"]
        found = await in_database(conversation_and_user_of_session, self.session_key, pk)
        if found is None:
            return None
        conversation, user = found
        self.user_id, self.username = user.pk, user.get_username()
        return conversation

    async def do(self, operation: Operation, conversation: Conversation) -> None:
        """Say something, or step in: it comes back as events, or waits in the queue."""
        try:
            match operation:
                case Say():
                    await live.say(conversation.pk, operation.inbound(), self.user_id)
                case Command():
                    await live.command(conversation.pk, replace(operation, by=self.username))
                case StopMessage():
                    await live.stop(conversation.pk, self.username)
                case Withdraw(key=key):
                    if not await live.withdraw(conversation.pk, key):
                        raise RefusalError("Too late: it was done already.")
                case BreakPoint(on=on):
                    await live.set_break_point(conversation.pk, operation.point, on=on)
        except SteeringError as refusal:
            raise RefusalError(str(refusal)) from None
        except QueueFullError:
            raise RefusalError(
                f"{MAX_WAITING} things wait for this conversation already. Let it come to some of "
                "them, or take some away, then send it again."
            ) from None
        except ReadOnlyError:
            raise RefusalError(
                "This trace was opened from a file: it can be read, and nothing can be done in it."
            ) from None

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send everything past `after`; what stands beside it, whatever the page thinks of it."""
        self.shown = Around()
        await super().resume(conversation, after)

    async def look_beside(self, conversation: Conversation) -> None:
        """Send what stands beside the events now."""
        await self.show_beside(await in_database(around, conversation))

    async def show_beside(self, around: Around) -> None:
        """Send what stands beside the events, where the page has something else."""
        html = "".join(new for new, old in zip(around, self.shown, strict=True) if new != old)
        self.shown = around
        if html:
            await self.send_html(html)

    def lacks(self, seq: int, around: Around) -> bool:
        """Report whether there are events to send, or other changes to show."""
        is_other = self.cursor is not None and not self.outflow.is_full and self.shown != around
        return is_other or super().lacks(seq, around)
