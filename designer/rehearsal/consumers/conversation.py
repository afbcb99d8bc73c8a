"""Socket of a conversation for users who may rehearse: reading and steering."""

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
    """Reader of a conversation who may rehearse its pipeline."""

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
        """Return the conversation, if the user of the socket's session is allowed to open it."""
        pk = self.conversation_id or self.scope["url_route"]["kwargs"]["pk"]
        row = await in_database(conversation_and_user_of_session, self.session_key, pk)
        if row is None:
            return None
        conversation, user = row
        self.user_id, self.username = user.pk, user.get_username()
        return conversation

    async def do(self, operation: Operation, conversation: Conversation) -> None:
        """Send a message or a command, which appears as events or in the queue."""
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
                        raise RefusalError("It is too late to withdraw this: it was done already.")
                case BreakPoint(on=on):
                    await live.set_break_point(conversation.pk, operation.point, on=on)
        except SteeringError as refusal:
            raise RefusalError(str(refusal)) from None
        except QueueFullError:
            raise RefusalError(
                f"The queue of this conversation is full ({MAX_WAITING}). Wait for some of its "
                "entries or withdraw some, then send again."
            ) from None
        except ReadOnlyError:
            raise RefusalError("This trace was opened from a file: it can only be read.") from None

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send the events after a number, and all other parts of the page."""
        self.shown = Around()
        await super().resume(conversation, after)

    async def look_beside(self, conversation: Conversation) -> None:
        """Send the current parts of the page beside the events."""
        await self.show_beside(await in_database(around, conversation))

    async def show_beside(self, around: Around) -> None:
        """Send the changed parts of the page beside the events."""
        html = "".join(new for new, old in zip(around, self.shown, strict=True) if new != old)
        self.shown = around
        if html:
            await self.send_html(html)

    def lacks(self, seq: int, around: Around) -> bool:
        """Report whether there are events to send, or other changes to show."""
        is_other = self.cursor is not None and not self.outflow.is_full and self.shown != around
        return is_other or super().lacks(seq, around)
