"""Socket of a reader of a growing conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Any

from django.conf import settings

from designer.core import (
    LOST,
    NOT_ALLOWED,
    TOO_SLOW,
    Acknowledge,
    Mailbox,
    MalformedError,
    Operation,
    RefusalError,
    Resume,
    SocketReader,
    Source,
    in_database,
    parse,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.consumers.event_batches import batches
from designer.rehearsal.consumers.rooms import CHECK, Around, Message, Room, Ticket, enter
from designer.rehearsal.consumers.send_queue import Outflow
from designer.rehearsal.fragments.conversation import render_cursor, render_notice
from designer.rehearsal.trace.event_fragments import turn_id
from designer.rehearsal.trace.events import render_text
from designer.rehearsal.trace.trace import render_all_panes
from designer.rehearsal.trace.trace_state import TraceState

INBOX = 100
"""Maximum number of pending notifications; the latest are kept."""

MAX_LAG = 1_000
"""A page that is more events behind is not led through all of them: it is sent anew."""


class Follower(SocketReader):
    """One reader of one conversation: chat, lights and trace as they grow.

    Reads the journal past its cursor whenever its room hears a bell, so that what is lost on the
    way costs a moment and no event. What is on its way to the page is bounded: beyond that the
    reader is left to the journal, and one to whom nothing comes any more has to come again. Every
    message is checked anew: who sends it, the shape, the size, the rate.
    """

    audience = "people"
    """Group of readers that see the same."""
    conversation_id = 0
    """The conversation's id; 0 before the reader is admitted."""
    trace_state: TraceState
    """State of the trace, once the reader has sent its position."""
    cursor: int | None = None
    """The last event that was sent; None until then."""
    heard = 0
    """The last event that a bell told of."""
    room: Room | None = None
    """Source of notifications; None before the reader is admitted."""
    noticed = (0.0, "")
    """Time and text of the last notice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.outflow = Outflow()
        self.inbox = Mailbox(asyncio.get_running_loop(), INBOX)
        self.answered: dict[str, tuple[int, int]] = {}
        """Fence and number of sent characters of each answer in progress, by its element."""

    async def allowed(self) -> Conversation | None:
        """The conversation, if the reader may look at it, or still may."""
        raise NotImplementedError

    async def do(self, operation: Operation, conversation: Conversation) -> None:
        """Do what is asked for beyond looking."""
        raise RefusalError("Who watches can look at everything here, and do nothing.")

    async def look_beside(self, conversation: Conversation) -> None:
        """See what is shown beside the events, and send it."""

    async def show_beside(self, around: Around) -> None:
        """Send what is shown beside the events, where the page has something else."""

    @property
    def person(self) -> int | None:
        """Id of the user; None for a share link."""
        return None

    @property
    def ticket(self) -> Ticket:
        """Permission of the reader."""
        return self.audience, self.session_key

    def lacks(self, seq: int, around: Around) -> bool:
        """Report whether there is anything to send at this position."""
        if self.outflow.is_full:
            return self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS)
        return self.cursor is not None and self.cursor < seq

    def take(self, message: Message) -> None:
        """See to a message of the room, as soon as what is being done is done."""
        self.inbox.put(message)

    async def open_notifications(self) -> Source:
        """Return the notifications that the room passes on."""
        return self.inbox.next

    async def leave(self) -> None:
        """Leave the room."""
        if self.room is not None:
            await self.room.leave(self)

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
                await self.catch_up(message["seq"])
            case "answers.streamed":
                await self.send_answers(message["deltas"])
            case "room.looked":
                await self.look_around(message["seq"], message["around"])
            case "reader.check":
                await self.check_in()
            case "room.lost":
                await self.close(LOST)
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def connect(self) -> None:
        """Let in whoever may read; for anyone else there is no such socket."""
        conversation = await self.allowed()
        if conversation is None:
            await self.close()
            return
        self.conversation_id = conversation.pk
        self.room = await enter(conversation, self)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Do what a message asks for, or say why not."""
        try:
            operation = self.read(text_data)
            conversation = await self.allowed()
            if conversation is None:
                await self.close(NOT_ALLOWED)
                return
            match operation:
                case Resume(after=after):
                    await self.resume(conversation, after)
                case Acknowledge():
                    await self.catch_up(conversation.last_seq)
                    await self.send_answers(live.streams_of(self.conversation_id))
                case _:
                    await self.do(operation, conversation)
        except (RefusalError, MalformedError) as refusal:
            await self.notice(str(refusal))
        except Conversation.DoesNotExist:  # deleted since it was looked up
            await self.close(NOT_ALLOWED)

    def read(self, text: str | None) -> Operation:
        """Read a message. What the page sends because it was asked to is free, the rest is not."""
        try:
            operation = parse(text)
        except MalformedError:
            self.check_rate_limit()
            raise
        if not (isinstance(operation, Acknowledge) and self.outflow.see(operation.n)):
            self.check_rate_limit()
        return operation

    async def notice(self, sentence: str) -> None:
        """Say why something was not done; not the same again and again."""
        now = monotonic()
        if (now - self.noticed[0]) < 1 and self.noticed[1] == sentence:
            return
        self.noticed = (now, sentence)
        await self.send_html(render_notice(sentence))

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send everything past `after`, then the answers under way; see that the run goes on."""
        cursor = min(after, conversation.last_seq)
        if conversation.last_seq - cursor > MAX_LAG:
            await self.send_html(await in_database(_leap, conversation))
            cursor = conversation.last_seq
        self.trace_state = await batches().trace_state(conversation, cursor, self.audience)
        self.cursor, self.answered = cursor, {}
        await self.catch_up(conversation.last_seq)
        await self.send_answers(live.streams_of(self.conversation_id))
        await self.look_beside(conversation)
        live.attend(self.conversation_id)

    # What is sent

    async def send_html(self, html: str) -> None:
        """Send fragments, and ask from time to time whether they have come."""
        mark = self.outflow.mark(len(html), monotonic())
        await super().send_html(html + mark if mark else html)
        if mark and self.outflow.is_full:
            loop = asyncio.get_running_loop()
            loop.call_later(settings.SLOW_READER_SECONDS, self.take, CHECK)

    async def catch_up(self, seq: int) -> None:
        """Send the recorded events past the cursor, in batches, as far as they go.

        To a page that lags behind nothing is sent: the events wait in the journal.
        """
        self.heard = max(self.heard, seq)
        while self.cursor is not None and self.cursor < self.heard and not self.outflow.is_full:
            batch = await batches().after(
                self.conversation_id, self.cursor, self.trace_state, self.audience
            )
            if batch is None:
                return
            self.cursor, self.trace_state = batch.last_seq, batch.trace_state
            for complete in self.answered.keys() - self.trace_state.open:
                del self.answered[complete]
            await self.send_html(batch.html)

    async def send_answers(self, deltas: Sequence[live.Delta]) -> None:
        """Send what this reader has not seen of the answers under way."""
        if self.cursor is None or not deltas:
            return
        await self.catch_up(max(delta.seq for delta in deltas))
        if self.outflow.is_full:
            return
        html = "".join(self.unseen(delta) for delta in deltas)
        if html:
            await self.send_html(html)

    def unseen(self, delta: live.Delta) -> str:
        """Return the unseen part of an answer; empty if the page has no place for it.

        It has none for what is said within a subtask, and none any more for what is complete.
        """
        element = turn_id(delta.run_id, delta.turn)
        if element not in self.trace_state.open:
            return ""
        fence, sent = self.answered.get(element, (0, 0))
        is_new = delta.fence > fence
        if is_new:
            sent = 0
        if delta.fence < fence or delta.offset > sent:
            return ""  # a piece was lost: the next frame that holds all of the text makes up for it
        text = delta.text[sent - delta.offset :]
        if not text and not is_new:
            return ""
        self.answered[element] = (delta.fence, sent + len(text))
        return render_text(delta.run_id, delta.turn, text, is_whole=is_new)

    # Keeping watch

    async def look_around(self, seq: int, around: Around) -> None:
        """Send what no bell told of, and after that what has changed beside the events."""
        if self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS):
            await self.close(TOO_SLOW)
            return
        await self.catch_up(seq)
        if self.cursor is not None and not self.outflow.is_full:
            await self.show_beside(around)

    async def check_in(self) -> None:
        """Close the socket of who may no longer read, or does not; send what no bell told of."""
        if self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS):
            await self.close(TOO_SLOW)
            return
        conversation = await self.allowed()
        if conversation is None:
            await self.close(NOT_ALLOWED)
            return
        await self.catch_up(conversation.last_seq)


def _leap(conversation: Conversation) -> str:
    return render_all_panes(conversation) + render_cursor(conversation.last_seq)
