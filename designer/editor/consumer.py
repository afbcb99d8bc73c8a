"""The socket of the editor: changes and presence of other people in a pipeline."""

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
    MalformedError,
    RefusalError,
    ShareSelection,
    SocketReader,
    editor_group,
    failures_refused,
    in_database,
    join_group,
    leave_group,
    parse_editing,
    pipeline_of_session,
    role_in,
    send_to_channel,
    send_to_group,
    session_group,
)
from designer.editor.fragments.edits import render_since
from designer.editor.fragments.presence import (
    render_new_role,
    render_notice,
    render_people,
    render_version,
)
from designer.editor.presence import People, Person, Tab
from designer.models import Pipeline, Role

SILENCE = 2.5
"""Timeout of a silent tab, as a multiple of the seconds between two presence messages."""


class EditorConsumer(SocketReader):
    """One tab that has a pipeline open in the editor.

    An edit sends only its version number to the page. The page requests the changes when no gesture
    is in progress, and gets them from the database. So the order of messages does not matter, and a
    lost message only causes a delay. Presence messages go from tab to tab through the channel layer
    and are not stored. Every message from the page is checked: session, permission, form, rate.
    """

    pipeline_id = 0
    """The pipeline's id; 0 before the reader is admitted."""
    version = 0
    """The newest version that the page knows."""
    role: Role
    """The reader's role that the page shows."""
    own: Tab
    """Presence of this tab."""
    people: People
    """Known presence of others."""
    shown: tuple[Person, ...] = ()
    """The other people that the page shows."""

    async def leave(self) -> None:
        """Leave the groups and tell the other tabs."""
        if self.pipeline_id:
            group = editor_group(self.pipeline_id)
            for name in (group, session_group(self.own.user_id)):
                await leave_group(name, self.channel_name)
            await send_to_group(group, {"type": "tab.left", "id": self.own.id})

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Dispatch a message without the default consumer's thread switch for each message."""
        match message["type"]:
            case "websocket.connect":
                await self.connect()
            case "websocket.receive":
                await self.receive(message.get("text"), message.get("bytes"))
            case "websocket.disconnect":
                await self.websocket_disconnect(message)
            case "pipeline.changed":
                await self.on_change(message)
            case "tab.here":
                await self.on_tab(message)
            case "tab.left":
                await self.on_leave(message["id"])
            case "people.look":
                await self.show_people()
            case "reader.check" | "session.ended":
                await self.check_in()
            case other:
                raise ValueError(f"No handler for {other!r}.")

    async def connect(self) -> None:
        """Accept people with access to the pipeline; reject the handshake of others."""
        access = await self.reader(self.scope["url_route"]["kwargs"]["pk"])
        if access is None:
            await self.close()
            return
        pipeline, user = access
        self.pipeline_id, self.version = pipeline.pk, pipeline.version
        self.role = role_in(pipeline)
        self.own = Tab(secrets.token_hex(8), user.pk, user.get_username(), ())
        self.people = People(
            own=user.pk,
            silence=SILENCE * settings.READER_CHECK_SECONDS,
            grace=settings.LEAVING_SECONDS,
        )
        for group in (editor_group(pipeline.pk), session_group(user.pk)):
            await join_group(group, self.channel_name)
        await self.accept_reader()
        await self.send_html(render_version(self.version))
        await self.send_presence(asks=True)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Execute a message of the page, or send the reason for a refusal."""
        try:
            with failures_refused():
                await self.execute(text_data)
        except (RefusalError, MalformedError) as refusal:
            await self.send_html(render_notice(str(refusal)))

    async def execute(self, text: str | None) -> None:
        """Execute a message of the page, or raise the reason for a refusal."""
        self.check_rate_limit()
        operation = parse_editing(text)
        access = await self.reader(self.pipeline_id)
        if access is None:
            await self.close(NOT_ALLOWED)
            return
        match operation:
            case CatchUp():
                await self.catch_up(*access, operation)
            case ShareSelection():
                self.own = self.own._replace(at=tuple(operation.selected))
                await self.send_presence()

    # Changes

    async def catch_up(self, pipeline: Pipeline, user: User, message: CatchUp) -> None:
        """Send the changes that the page has missed."""
        html = await in_database(render_since, pipeline, user, message.page_state)
        if html:
            await self.send_html(html)

    async def on_change(self, change: dict[str, Any]) -> None:
        """Tell the page the newest version, and the author of this change."""
        made, who = change["version"], "" if change["user"] == self.own.user_id else change["name"]
        self.version = max(self.version, made)
        await self.send_html(
            render_version(self.version, label=change["label"], who=who, made=made)
        )

    # Presence

    async def send_presence(self, *, asks: bool = False, to: str = "") -> None:
        """Send the presence and selection of this tab to the other tabs, or to one of them."""
        message = {"type": "tab.here", "tab": list(self.own), "asks": asks, "by": self.channel_name}
        if to:
            await send_to_channel(to, message)
        else:
            await send_to_group(editor_group(self.pipeline_id), message)

    async def on_tab(self, message: dict[str, Any]) -> None:
        """Record the presence of a tab; answer a new tab with the presence of this one."""
        tab_id, user_id, name, at = message["tab"]
        if tab_id == self.own.id:
            return
        self.people.update(Tab(tab_id, user_id, name, tuple(at)), monotonic())
        if message["asks"]:
            await self.send_presence(to=message["by"])
        await self.show_people()

    async def on_leave(self, tab_id: str) -> None:
        """Record that a tab was closed; check again after the time of a page reload."""
        self.people.remove(tab_id, monotonic())
        await self.show_people()
        loop, channel = asyncio.get_running_loop(), self.channel_name
        loop.call_later(settings.LEAVING_SECONDS, lambda: _check_people(channel))

    async def show_people(self) -> None:
        """Send the other people, if they differ from those that the page shows."""
        here = tuple(self.people.list(monotonic()))
        if here == self.shown:
            return
        was, now = ({person.name for person in people} for people in (self.shown, here))
        self.shown = here
        people = [(person.user_id, person.name, person.at) for person in here]
        await self.send_html(render_people(people, joined=now - was, left=was - now))

    # Checks

    async def check_in(self) -> None:
        """Close the socket after a loss of access; announce a new role, and a missed version."""
        access = await self.reader(self.pipeline_id)
        if access is None:
            await self.close(NOT_ALLOWED)
            return
        pipeline, _ = access
        if role_in(pipeline) != self.role:
            self.role = role_in(pipeline)
            await self.send_html(render_new_role(self.pipeline_id, self.role))
        if pipeline.version > self.version:
            self.version = pipeline.version
            await self.send_html(render_version(self.version))
        await self.send_presence()
        await self.show_people()

    async def reader(self, pk: int) -> tuple[Pipeline, User] | None:
        """Return the pipeline and its reader, if the socket's session still has access."""
        return await in_database(pipeline_of_session, self.session_key, pk)


_TASKS: set[asyncio.Task[None]] = set()


def _check_people(channel_name: str) -> None:
    """Make a tab check for expired presence."""
    task = asyncio.create_task(send_to_channel(channel_name, {"type": "people.look"}))
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)
