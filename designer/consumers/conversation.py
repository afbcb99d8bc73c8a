"""The socket of a conversation: chat, lights and trace as they grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from designer import live
from designer.actions.conversations import RunUnderWayError
from designer.consumers.reader import NOT_ALLOWED, Reader, RefusalError
from designer.fragments.conversation import render_batch, render_notice, telling_of
from designer.fragments.events import render_text
from designer.fragments.pieces import turn_id
from designer.fragments.scenes import Telling
from designer.http import conversation_of_session
from designer.live.database import in_database
from designer.models import Conversation
from designer.operations import MalformedError, Resume, Say, Stop, parse


class ConversationConsumer(Reader):
    """One reader of one conversation: chat, lights and trace as they grow.

    Reads the journal past its cursor whenever a bell rings, so that what is lost on the way costs a
    moment and no event. Every message is checked anew: the session, the owner, the shape, the size,
    the rate.
    """

    conversation_id = 0
    """Which one; 0 until the reader was let in."""
    telling: Telling
    """How far the trace is told, from when the reader has said what it saw."""
    cursor: int | None = None
    """The last event that was sent; None until then."""
    answered: dict[str, tuple[int, int]]
    """Of each answer under way, by its element: whose it is (the fence), and how many characters
    were sent."""

    async def leave(self) -> None:
        """Leave the conversation's group."""
        if self.conversation_id:
            await live.leave(self.conversation_id, self.channel_name)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Hand on a message, without the stock consumer's hop to a thread for each."""
        match message["type"]:
            case "websocket.connect":
                await self.connect()
            case "websocket.receive":
                await self.receive(message.get("text"), message.get("bytes"))
            case "websocket.disconnect":
                await self.websocket_disconnect(message)
            case "journal.grown":
                live.attend(self.conversation_id)
                await self.catch_up(message["seq"])
            case "answers.streamed":
                await self.send_answers([live.Delta(*one) for one in message["deltas"]])
            case "reader.check":
                await self.check_in()
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def connect(self) -> None:
        """Let the conversation's owner in; for anyone else there is no such socket."""
        pk = self.scope["url_route"]["kwargs"]["pk"]
        conversation = await self.conversation(pk)
        if conversation is None:
            await self.close()
            return
        self.conversation_id, self.answered = conversation.pk, {}
        await self.channel_layer.group_add(live.group_of(pk), self.channel_name)
        await self.let_in()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Do what a message asks for, or say why not."""
        try:
            self.spend_allowance()
            operation = parse(text_data)
            conversation = await self.conversation(self.conversation_id)
            if conversation is None:
                await self.close(NOT_ALLOWED)
                return
            match operation:
                case Resume(after=after):
                    await self.resume(conversation, after)
                case Say():
                    await self.say(operation)
                case Stop():
                    await live.stop(self.conversation_id)
        except (RefusalError, MalformedError) as refusal:
            await self.tell(render_notice(str(refusal)))

    # What can be asked for

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send everything past `after`, then the answers under way; see that the run goes on."""
        cursor = min(after, conversation.last_seq)
        self.telling = await in_database(telling_of, conversation, cursor)
        self.cursor, self.answered = cursor, {}
        await self.catch_up(conversation.last_seq)
        await self.send_answers(live.streams_of(self.conversation_id))
        if conversation.run_id:
            live.attend(self.conversation_id)

    async def say(self, message: Say) -> None:
        """Start a run; the message itself comes back as an event."""
        try:
            await live.say(self.conversation_id, message.inbound())
        except RunUnderWayError:
            raise RefusalError(
                "An answer is still under way. Your message stays here: send it when the answer "
                "is complete, or stop the answer."
            ) from None

    # What is sent

    async def catch_up(self, seq: int) -> None:
        """Send the recorded events past the cursor, in batches, as far as they go."""
        while self.cursor is not None and self.cursor < seq:
            batch = await in_database(render_batch, self.conversation_id, self.cursor, self.telling)
            if batch is None:
                return
            self.cursor, self.telling = batch.last_seq, batch.telling
            for complete in self.answered.keys() - self.telling.open:
                del self.answered[complete]
            await self.tell(batch.html)

    async def send_answers(self, deltas: Sequence[live.Delta]) -> None:
        """Send what this reader has not seen of the answers under way."""
        if self.cursor is None or not deltas:
            return
        await self.catch_up(max(delta.seq for delta in deltas))
        html = "".join(self.unseen(delta) for delta in deltas)
        if html:
            await self.tell(html)

    def unseen(self, delta: live.Delta) -> str:
        """What the reader has not seen of an answer; nothing where the page has no place for it.

        It has none for what is said within a subtask, and none any more for what is complete.
        """
        element = turn_id(delta.run_id, delta.turn)
        if element not in self.telling.open:
            return ""
        fence, sent = self.answered.get(element, (0, 0))
        is_new = delta.fence > fence
        if is_new:
            sent = 0
        if delta.fence < fence or delta.offset > sent:
            return ""  # a piece was lost: the next frame that holds all of the text makes up for it
        text = delta.text[sent - delta.offset :]
        if not text:
            return ""
        self.answered[element] = (delta.fence, sent + len(text))
        return render_text(delta.run_id, delta.turn, text, is_whole=is_new)

    # Keeping watch

    async def check_in(self) -> None:
        """Close the socket of who may no longer read; send what no bell told of."""
        conversation = await self.conversation(self.conversation_id)
        if conversation is None:
            await self.close(NOT_ALLOWED)
            return
        await self.catch_up(conversation.last_seq)
        if conversation.run_id:
            live.attend(self.conversation_id)

    async def conversation(self, pk: int) -> Conversation | None:
        """The conversation, if whoever signed in with this socket's session may still open it."""
        return await in_database(conversation_of_session, self.session_key, pk)
