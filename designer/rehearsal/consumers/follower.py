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
    failures_refused,
    in_database,
    parse,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.consumers.event_batches import batches
from designer.rehearsal.consumers.rooms import (
    CHECK,
    Around,
    Arounds,
    Message,
    Room,
    Ticket,
    enter,
    read_around,
)
from designer.rehearsal.consumers.send_queue import Outflow
from designer.rehearsal.fragments.conversation import render_cursor, render_notice
from designer.rehearsal.trace.event_fragments import turn_id
from designer.rehearsal.trace.events import render_text
from designer.rehearsal.trace.trace import render_all_panes
from designer.rehearsal.trace.trace_state import TraceState

INBOX = 100
"""Maximum number of pending notifications; the latest are kept."""

MAX_LAG = 1_000
"""Maximum number of missing events; a page with more is replaced as a whole."""


class Follower(SocketReader):
    """Reader of a conversation: chat, highlights and trace as they grow.

    Reads the journal after its cursor at each notification of its room, so a lost notification
    delays events but loses none. The unconfirmed data of a page is limited: above the limit nothing
    is sent, and a page that confirms nothing for too long must reconnect. The permission, shape,
    size and rate of each message are checked.
    """

    audience = "people"
    """Group of readers that see the same."""
    conversation_id = 0
    """Id of the conversation; 0 before the reader is admitted."""
    trace_state: TraceState
    """State of the trace, once the reader has sent its position."""
    cursor: int | None = None
    """Last sent event; None before the first one."""
    last_seq = 0
    """Last event of the notifications."""
    room: Room | None = None
    """Source of notifications; None before the reader is admitted."""
    shown = Around()
    """State of the page beside the events."""
    noticed = (0.0, "")
    """Time and text of the last notice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.outflow = Outflow()
        self.inbox = Mailbox(asyncio.get_running_loop(), INBOX)
        self.sent_answers: dict[str, tuple[int, int]] = {}
        """Fence and number of sent characters of each answer in progress, by its element."""

    async def allowed(self) -> Conversation | None:
        """Return the conversation, if the reader is allowed to read it."""
        raise NotImplementedError

    async def do(self, operation: Operation, conversation: Conversation) -> None:
        """Process a message or command; readers with view-only access may send none."""
        raise RefusalError("You have view-only access to this conversation.")

    @property
    def person(self) -> int | None:
        """Id of the user; None for a share link."""
        return None

    @property
    def ticket(self) -> Ticket:
        """Permission of the reader."""
        return self.audience, self.session_key

    def lacks(self, seq: int, arounds: Arounds) -> bool:
        """Report whether there is anything to send at this position."""
        if self.outflow.is_full:
            return self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS)
        if self.cursor is None:
            return False
        return self.cursor < seq or self.shown != arounds[self.audience]

    def take(self, message: Message) -> None:
        """Queue a message of the room."""
        self.inbox.put(message)

    async def open_notifications(self) -> Source:
        """Return the source of the room's messages."""
        return self.inbox.next

    async def leave(self) -> None:
        """Leave the room."""
        if self.room is not None:
            await self.room.leave(self)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle a message, without the thread of the base class for each."""
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
                await self.look_around(message["seq"], message["arounds"])
            case "reader.check":
                await self.check_in()
            case "run.interrupted":
                await self.notice(message["text"])
            case "room.lost":
                await self.close(LOST)
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def connect(self) -> None:
        """Accept the socket if the reader is allowed to read the conversation."""
        conversation = await self.allowed()
        if conversation is None:
            await self.close()
            return
        self.conversation_id = conversation.pk
        self.room = await enter(conversation, self)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Process a message, or send a notice with the reason of its refusal."""
        try:
            with failures_refused():
                await self.process(text_data)
        except (RefusalError, MalformedError) as refusal:
            await self.notice(str(refusal))
        except Conversation.DoesNotExist:  # deleted since it was looked up
            await self.close(NOT_ALLOWED)

    async def process(self, text: str | None) -> None:
        """Process a message, or raise the reason of its refusal."""
        operation = self.read(text)
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

    def read(self, text: str | None) -> Operation:
        """Parse a message; requested confirmations do not count against the rate limit."""
        try:
            operation = parse(text)
        except MalformedError:
            self.check_rate_limit()
            raise
        if not (isinstance(operation, Acknowledge) and self.outflow.confirm(operation.n)):
            self.check_rate_limit()
        return operation

    async def notice(self, sentence: str) -> None:
        """Send a refusal, but not the same one several times per second."""
        now = monotonic()
        if (now - self.noticed[0]) < 1 and self.noticed[1] == sentence:
            return
        self.noticed = (now, sentence)
        await self.send_html(render_notice(sentence))

    async def resume(self, conversation: Conversation, after: int) -> None:
        """Send the events after a number and the answers in progress."""
        cursor = min(after, conversation.last_seq)
        if conversation.last_seq - cursor > MAX_LAG:
            await self.send_html(await in_database(_render_whole_page, conversation))
            cursor = conversation.last_seq
        self.trace_state = await batches().trace_state(conversation, cursor, self.audience)
        self.cursor, self.sent_answers = cursor, {}
        await self.catch_up(conversation.last_seq)
        await self.send_answers(live.streams_of(self.conversation_id))
        await live.request_answers(conversation)
        self.shown = Around()
        await self.show_around(await in_database(read_around, conversation, self.audience))

    # Sending
    async def send_html(self, html: str) -> None:
        """Send fragments, and request confirmations at intervals."""
        mark = self.outflow.mark(len(html), monotonic())
        await super().send_html(html + mark if mark else html)
        if mark and self.outflow.is_full:
            loop = asyncio.get_running_loop()
            loop.call_later(settings.SLOW_READER_SECONDS, self.take, CHECK)

    async def catch_up(self, seq: int) -> None:
        """Send the recorded events after the cursor in batches, while the page confirms them."""
        self.last_seq = max(self.last_seq, seq)
        while self.cursor is not None and self.cursor < self.last_seq and not self.outflow.is_full:
            batch = await batches().after(
                self.conversation_id, self.cursor, self.trace_state, self.audience
            )
            if batch is None:
                return
            self.cursor, self.trace_state = batch.last_seq, batch.trace_state
            for complete in self.sent_answers.keys() - self.trace_state.open:
                del self.sent_answers[complete]
            await self.send_html(batch.html)

    async def send_answers(self, deltas: Sequence[live.Delta]) -> None:
        """Send the unsent parts of the answers in progress."""
        if self.cursor is None or not deltas:
            return
        await self.catch_up(max(delta.seq for delta in deltas))
        if self.outflow.is_full:
            return
        html = "".join(self.render_unsent(delta) for delta in deltas)
        if html:
            await self.send_html(html)

    def render_unsent(self, delta: live.Delta) -> str:
        """Render the unsent part of an answer.

        Empty if the page has no element for it: the answer is complete, or belongs to a subtask.
        """
        element = turn_id(delta.run_id, delta.turn)
        if element not in self.trace_state.open:
            return ""
        fence, sent = self.sent_answers.get(element, (0, 0))
        is_new = delta.fence > fence
        if is_new:
            sent = 0
        if delta.fence < fence or delta.offset > sent:
            return ""  # a part was lost: the next frame with the whole text replaces it
        text = delta.text[sent - delta.offset :]
        if not text and not is_new:
            return ""
        self.sent_answers[element] = (delta.fence, sent + len(text))
        return render_text(delta.run_id, delta.turn, text, is_whole=is_new)

    # Periodic checks

    async def look_around(self, seq: int, arounds: Arounds) -> None:
        """Send the events up to a number, then the changed parts of the page beside them."""
        if self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS):
            await self.close(TOO_SLOW)
            return
        await self.catch_up(seq)
        if self.cursor is not None and not self.outflow.is_full:
            await self.show_around(arounds[self.audience])

    async def show_around(self, parts: Around) -> None:
        """Send the changed parts of the page beside the events."""
        html = "".join(new for new, old in zip(parts, self.shown, strict=True) if new != old)
        self.shown = parts
        if html:
            await self.send_html(html)

    async def check_in(self) -> None:
        """Close the socket without permission or confirmations; send missing events."""
        if self.outflow.is_stuck(monotonic(), settings.SLOW_READER_SECONDS):
            await self.close(TOO_SLOW)
            return
        conversation = await self.allowed()
        if conversation is None:
            await self.close(NOT_ALLOWED)
            return
        await self.catch_up(conversation.last_seq)


def _render_whole_page(conversation: Conversation) -> str:
    return render_all_panes(conversation) + render_cursor(conversation.last_seq)
