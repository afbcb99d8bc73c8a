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
from designer.rehearsal.actions.commands import QueueFullError, ReadOnlyError
from designer.rehearsal.consumers.follower import Follower
from orchestration.control import Command
from orchestration.exceptions import SteeringError


class ConversationConsumer(Follower):
    """Reader of a conversation who may rehearse its pipeline."""

    user_id = 0
    username = ""
    """Name of the user of the socket's session."""

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
        except QueueFullError as refusal:
            raise RefusalError(str(refusal)) from None
        except ReadOnlyError:
            raise RefusalError("This trace was opened from a file: it can only be read.") from None
