"""Websockets: who may come in, what they may ask for, and what they are sent.

A consumer is thin. It handles one message at a time, so it awaits nothing but the database: runs
are tasks of `designer.live`, and go on whether or not anyone is connected.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from designer import live
from designer.actions.conversations import RunUnderWayError
from designer.fragments.conversation import names_of, render_batch, render_notice
from designer.fragments.events import Names, render_text
from designer.http import conversation_of_session
from designer.live.database import in_database
from designer.models import Conversation
from designer.operations import MalformedError, Resume, Say, Stop, parse

BURST, PER_SECOND = 20.0, 5.0
"""How many messages a socket may send at once, and how many a second after that."""

NOT_ALLOWED = 4401
"""The socket's close code for a reader who signed out, or whose conversation is gone."""


class RefusalError(Exception):
    """What was asked for is not done, with a sentence for the person who asked."""


class ConversationConsumer(AsyncWebsocketConsumer):
    """One reader of one conversation: chat, lights and trace as they grow.

    Reads the journal past its cursor whenever a bell rings, so that what is lost on the way costs a
    moment and no event. Every message is checked anew: the session, the owner, the shape, the size,
    the rate.
    """

    ticker: asyncio.Task[None] | None = None
    conversation_id = 0
    """Which one; 0 until the reader was let in."""
    names: Names
    cursor: int | None = None
    """The last event that was sent; None until the reader has said which it saw."""
    answer: tuple[str, int, int] | None = None
    """Run, turn and fence of the answer under way that was sent last."""
    answered = 0
    """How many characters of it were sent."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one socket; whatever ends it, its group and its ticker do not stay behind."""
        self.allowance, self.last_message = BURST, monotonic()
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.ticker is not None:
                self.ticker.cancel()
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
            case "answer.streamed":
                await self.send_answer(live.Delta(*message["delta"]))
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
        self.conversation_id = conversation.pk
        self.names = await in_database(names_of, conversation)
        await self.channel_layer.group_add(live.group_of(pk), self.channel_name)
        await self.accept()
        self.ticker = asyncio.create_task(self.tick())

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        """End, without the stock consumer's hop to a thread."""
        raise StopConsumer

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
            await self.send(render_notice(str(refusal)))

    # What can be asked for

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send everything past `after`, then the answer under way, and see that the run goes on."""
        self.cursor = min(after, conversation.last_seq)
        self.answer = None
        await self.catch_up(conversation.last_seq)
        if (delta := live.stream_of(self.conversation_id)) is not None:
            await self.send_answer(delta)
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
            batch = await in_database(render_batch, self.conversation_id, self.cursor, self.names)
            if batch is None:
                return
            self.cursor, self.names = batch.last_seq, batch.names
            await self.send(batch.html)

    async def send_answer(self, delta: live.Delta) -> None:
        """Send what this reader has not seen of the answer under way."""
        if self.cursor is None or delta.seq < self.cursor:
            return
        if delta.seq > self.cursor:
            await self.catch_up(delta.seq)
            if delta.seq != self.cursor:
                return
        answer = (delta.run_id, delta.turn, delta.fence)
        is_new = answer != self.answer
        if is_new:
            self.answer, self.answered = answer, 0
        if delta.offset > self.answered:
            return  # a piece was lost: the next frame that holds all of the text makes up for it
        text = delta.text[self.answered - delta.offset :]
        if text:
            self.answered += len(text)
            await self.send(render_text(delta.run_id, delta.turn, text, is_whole=is_new))

    # Keeping watch

    async def tick(self) -> None:
        """Ask this consumer to look around, from time to time."""
        while True:
            await asyncio.sleep(settings.READER_CHECK_SECONDS)
            await live.knock(self.channel_name)

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
        session_key = self.scope["session"].session_key
        return await in_database(conversation_of_session, session_key, pk)

    def spend_allowance(self) -> None:
        """Refuse a message that comes too soon after too many others."""
        now = monotonic()
        earned = (now - self.last_message) * PER_SECOND
        self.allowance, self.last_message = min(BURST, self.allowance + earned), now
        if self.allowance < 1:
            raise RefusalError("Too many messages at once. Wait a moment, then send it again.")
        self.allowance -= 1
