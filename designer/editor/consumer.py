"""The socket of the editor: what others change in a pipeline, and where they are."""

from __future__ import annotations

import asyncio
import secrets
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from designer.core import (
    NOT_ALLOWED,
    CatchUp,
    Look,
    MalformedError,
    RefusalError,
    SocketReader,
    editor_group,
    in_database,
    join_group,
    leave_group,
    parse_editing,
    pipeline_of_session,
    send_to_channel,
    send_to_group,
    session_group,
)
from designer.editor.fragments.edits import render_since
from designer.editor.fragments.presence import render_bell, render_people, render_remark
from designer.editor.presence import People, Person, Tab
from designer.models import Pipeline

SILENCE = 2.5
"""After how many times the seconds between two looks around a silent tab counts as gone."""


class EditorConsumer(SocketReader):
    """One tab that has a pipeline open in the editor.

    The bell of an edit goes on to the page as a number. The page asks for what is new when it has
    no gesture under way, and is sent it from the database: so an answer and a bell cannot cross,
    and a bell that was lost costs a moment. Who is here goes from tab to tab through the channel
    layer and is kept nowhere. Every message is checked anew: the session, the right, the shape, the
    rate.
    """

    pipeline_id = 0
    """The pipeline's id; 0 before the reader is admitted."""
    version = 0
    """The latest that the page was told of."""
    own: Tab
    """Presence of this tab."""
    people: People
    """Known presence of others."""
    shown: tuple[Person, ...] = ()
    """The others, as the page was told."""

    async def leave(self) -> None:
        """Tell the others, and leave the group."""
        if self.pipeline_id:
            group = editor_group(self.pipeline_id)
            for one in (group, session_group(self.own.user_id)):
                await leave_group(one, self.channel_name)
            await send_to_group(group, {"type": "tab.left", "id": self.own.id})

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Hand on a message, without the stock consumer's hop to a thread for each."""
        match message["type"]:
            case "websocket.connect":
                await self.connect()
            case "websocket.receive":
                await self.receive(message.get("text"), message.get("bytes"))
            case "websocket.disconnect":
                await self.websocket_disconnect(message)
            case "pipeline.changed":
                await self.hear_change(message)
            case "tab.here":
                await self.hear_tab(message)
            case "tab.left":
                await self.hear_leaving(message["id"])
            case "people.look":
                await self.show_people()
            case "reader.check" | "session.ended":
                await self.check_in()
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def connect(self) -> None:
        """Let in whoever may open the pipeline; for anyone else there is no such socket."""
        found = await self.reader(self.scope["url_route"]["kwargs"]["pk"])
        if found is None:
            await self.close()
            return
        pipeline, user = found
        self.pipeline_id, self.version = pipeline.pk, pipeline.version
        self.own = Tab(secrets.token_hex(8), user.pk, user.get_username(), ())
        self.people = People(
            own=user.pk,
            silence=SILENCE * settings.READER_CHECK_SECONDS,
            grace=settings.LEAVING_SECONDS,
        )
        for group in (editor_group(pipeline.pk), session_group(user.pk)):
            await join_group(group, self.channel_name)
        await self.let_in()
        await self.tell(render_bell(self.version))
        await self.say_here(asks=True)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Do what a message asks for, or say why not."""
        try:
            self.spend_allowance()
            operation = parse_editing(text_data)
            found = await self.reader(self.pipeline_id)
            if found is None:
                await self.close(NOT_ALLOWED)
                return
            match operation:
                case CatchUp():
                    await self.catch_up(*found, operation)
                case Look():
                    self.own = self.own._replace(at=tuple(operation.selected))
                    await self.say_here()
        except (RefusalError, MalformedError) as refusal:
            await self.tell(render_remark(str(refusal)))

    # What others change

    async def catch_up(self, pipeline: Pipeline, user: User, asked: CatchUp) -> None:
        """Send what the page has missed."""
        html = await in_database(render_since, pipeline, user, asked.shown)
        if html:
            await self.tell(html)

    async def hear_change(self, bell: dict[str, Any]) -> None:
        """Let the page know that there is another version, and whose doing each of them is."""
        made, who = bell["version"], "" if bell["user"] == self.own.user_id else bell["name"]
        self.version = max(self.version, made)
        await self.tell(render_bell(self.version, label=bell["label"], who=who, made=made))

    # Who is here

    async def say_here(self, *, asks: bool = False, to: str = "") -> None:
        """Tell the others, or one of them, that this tab is here, and what is selected in it."""
        message = {"type": "tab.here", "tab": list(self.own), "asks": asks, "by": self.channel_name}
        if to:
            await send_to_channel(to, message)
        else:
            await send_to_group(editor_group(self.pipeline_id), message)

    async def hear_tab(self, message: dict[str, Any]) -> None:
        """Take in what a tab says of itself; who has just come is told of this one."""
        tab_id, user_id, name, at = message["tab"]
        if tab_id == self.own.id:
            return
        self.people.update(Tab(tab_id, user_id, name, tuple(at)), monotonic())
        if message["asks"]:
            await self.say_here(to=message["by"])
        await self.show_people()

    async def hear_leaving(self, tab_id: str) -> None:
        """A tab is gone; look again when it would have come back."""
        self.people.remove(tab_id, monotonic())
        await self.show_people()
        loop, channel = asyncio.get_running_loop(), self.channel_name
        loop.call_later(settings.LEAVING_SECONDS, lambda: _look_again(channel))

    async def show_people(self) -> None:
        """Send who is here, where that is something else than the page knows."""
        here = tuple(self.people.list(monotonic()))
        if here == self.shown:
            return
        was, now = ({person.name for person in people} for people in (self.shown, here))
        self.shown = here
        people = [(person.user_id, person.name, person.at) for person in here]
        await self.tell(render_people(people, came=now - was, went=was - now))

    # Keeping watch

    async def check_in(self) -> None:
        """Close the socket of who may no longer look; tell the page what no bell told of."""
        found = await self.reader(self.pipeline_id)
        if found is None:
            await self.close(NOT_ALLOWED)
            return
        pipeline, _ = found
        if pipeline.version > self.version:
            self.version = pipeline.version
            await self.tell(render_bell(self.version))
        await self.say_here()
        await self.show_people()

    async def reader(self, pk: int) -> tuple[Pipeline, User] | None:
        """The pipeline and who reads it, if this socket's session may still open it."""
        return await in_database(pipeline_of_session, self.session_key, pk)


_LOOKING: set[asyncio.Task[None]] = set()


def _look_again(channel_name: str) -> None:
    """Have a tab look who is still here."""
    task = asyncio.create_task(send_to_channel(channel_name, {"type": "people.look"}))
    _LOOKING.add(task)
    task.add_done_callback(_LOOKING.discard)
