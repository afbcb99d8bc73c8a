"""One session with an MCP server, shared by the calls of an event loop, over the official SDK.

The SDK's contexts have to be left by the task that entered them, so a task of its own holds each
session, until nobody has called for a while or the server has gone. A server that goes in the
middle of a call ends it at once: the SDK by itself would wait for an answer that never comes.
"""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from anyio import BrokenResourceError, ClosedResourceError, EndOfStream

from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.network import (
    AddressRefused,
    AllowedAddresses,
    ConnectionSettings,
    guarded_transport,
)
from orchestration.tools.streams import NOTICE_SECONDS, SENT, Listening, Noted, Watched

if TYPE_CHECKING:
    from mcp import ClientSession

Said = TypeVar("Said")

CONNECT_SECONDS = 30.0
"""Maximum seconds for a server's greeting."""

IDLE_SECONDS = 300.0
"""Seconds before an unused session is closed."""

CLOSE_SECONDS = 10.0
"""Maximum seconds for closing a session; the SDK gives a process four of them."""


class Link:
    """A session with one server, and the task that holds it."""

    def __init__(
        self,
        connection: ConnectionSettings,
        allowed: AllowedAddresses,
        *,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self.connection, self._allowed, self._idle = connection, allowed, idle
        loop = asyncio.get_running_loop()
        self._greeted: asyncio.Future[ClientSession] = loop.create_future()
        self._gone: asyncio.Future[None] = loop.create_future()
        self._wanted = asyncio.Event()
        self._calls, self._is_closing = 0, False
        self._given_up: set[int | str] = set()
        """The ids of requests that nobody waits for any more."""
        self._notices: set[asyncio.Task[None]] = set()
        self._server, self._trouble = f"The MCP server {connection.name!r}", ""
        self._task = asyncio.create_task(self._hold(), name=f"mcp-{connection.name}")

    @property
    def is_open(self) -> bool:
        """True if the session accepts calls."""
        return not (self._is_closing or self._gone.done() or self._task.done())

    @property
    def is_used(self) -> bool:
        """True if a call is in progress."""
        return self._calls > 0

    async def ask(self, what: Callable[[ClientSession], Coroutine[Any, Any, Said]]) -> Said:
        """Return the server's answer to a request; raise `ToolError` if it disconnects first."""
        self._calls += 1
        try:
            session = await asyncio.shield(self._greeted)
            sent: list[int | str] = []
            context = copy_context()
            context.run(SENT.set, sent)
            asking = asyncio.create_task(what(session), context=context)
            try:
                await self._first_of(asking)
            finally:
                if asking.cancel() and sent and self.is_open:
                    self._give_up(session, sent[-1])
            if asking.done() and not self._ended_by(asking):
                return asking.result()
            raise ToolUnavailableError(f"{self._server} {self._trouble} during the call.")
        finally:
            self._calls -= 1
            self._wanted.set()

    async def aclose(self) -> None:
        """End the session as the protocol wants it; a process is ended too."""
        self._is_closing = True
        self._wanted.set()
        if not self._greeted.done():  # there is no session yet that could be ended
            self._task.cancel()
        _, late = await asyncio.wait({self._task}, timeout=CLOSE_SECONDS)
        for task in late:
            task.cancel()
            await asyncio.wait({task})

    def _ended_by(self, asking: asyncio.Task[Any]) -> bool:
        """Report whether a request failed because the server is gone."""
        ended = asking.cancelled() or is_closed(asking.exception())
        if ended:
            self._leave()
        return ended

    def _give_up(self, session: ClientSession, number: int | str) -> None:
        """Have the server told that nobody waits for this answer; nobody waits for that either."""
        self._given_up.add(number)
        notice = asyncio.create_task(_tell_given_up(session, number))
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    # Its own task

    async def _hold(self) -> None:
        try:
            await asyncio.to_thread(importlib.import_module, "mcp")  # it takes a while
            async with self._session() as session:
                self._greeted.set_result(session)
                await self._until_idle()
        except (Exception, asyncio.CancelledError) as error:
            if not self._greeted.done():
                self._greeted.set_exception(self._why(error))
                self._greeted.exception()  # it is told to whoever asks, if anybody does
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._leave()
            for notice in self._notices:
                notice.cancel()

    def _leave(self, trouble: str = "went away") -> None:
        """The server is gone, or as good as gone."""
        if not self._gone.done():
            self._trouble = trouble
            self._gone.set_result(None)
        self._wanted.set()

    async def _until_idle(self) -> None:
        while not self._is_closing and not self._gone.done():
            self._wanted.clear()
            try:
                async with asyncio.timeout(None if self._calls else self._idle):
                    await self._wanted.wait()
            except TimeoutError:
                self._is_closing = not self._calls

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[ClientSession]:
        from mcp import ClientSession
        from mcp.types import Implementation

        async with self._streams() as (read, write):
            watched: Any = Watched(read, self._leave, is_web=self.connection.kind == "mcp")
            info = Implementation(name="baton", version="1")
            noted: Any = Noted(write)
            async with ClientSession(watched, noted, client_info=info) as session:
                await self._greet(session)
                yield session

    async def _greet(self, session: ClientSession) -> None:
        greeting = asyncio.create_task(session.initialize())
        try:
            await self._first_of(greeting, within=CONNECT_SECONDS)
        finally:
            greeting.cancel()
        if greeting.done():
            greeting.result()
        elif self._gone.done():
            raise ToolUnavailableError(f"{self._server} {self._trouble} before it had greeted.")
        else:
            raise TimeoutError

    async def _first_of(self, task: asyncio.Task[Any], *, within: float | None = None) -> None:
        """Wait until the task is done, or the server is gone."""
        either: set[asyncio.Future[Any]] = {task, self._gone}
        await asyncio.wait(either, timeout=within, return_when=asyncio.FIRST_COMPLETED)

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[tuple[Any, Any]]:
        from mcp.client.stdio import StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client

        connection = self.connection
        if connection.kind == "mcp_stdio":
            program, *arguments = connection.command
            server = StdioServerParameters(command=program, args=arguments)
            errors: Any = sys.__stderr__ or subprocess.DEVNULL
            async with stdio_client(server, errlog=errors) as (read, write):
                yield read, write
            return
        async with (
            httpx.AsyncClient(
                transport=Listening(guarded_transport(self._allowed), self._leave, self._given_up),
                headers={"User-Agent": "baton"} | connection.credentials,
                timeout=httpx.Timeout(CONNECT_SECONDS, read=None),  # the tool handler has a watch
                trust_env=False,
            ) as client,
            streamable_http_client(connection.base_url, http_client=client) as (read, write, _),
        ):
            yield read, write

    def _why(self, error: BaseException) -> ToolError:
        """Why there is no session, in a sentence; some of it may pass."""
        name = self._server
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        match error:
            case ToolError():
                return error
            case AddressRefused():
                return ToolError(str(error))
            case httpx.HTTPStatusError():
                status = error.response.status_code
                refused = ": check its key" if status in (401, 403) else ""
                return ToolError(f"{name} answered with status {status}{refused}.")
            case TimeoutError() | httpx.TimeoutException():
                return ToolUnavailableError(
                    f"{name} did not greet within {CONNECT_SECONDS:g} seconds."
                )
            case FileNotFoundError() | PermissionError():
                return ToolError(f"{name} cannot be started: its command is not there.")
            case httpx.TransportError():
                return ToolUnavailableError(f"{name} cannot be reached.")
            case _ if is_closed(error) or isinstance(error, asyncio.CancelledError):
                return ToolUnavailableError(f"{name} went away before it had greeted.")
            case _:
                said = self.connection.without_secrets(str(error))[:300]
                return ToolError(f"{name} cannot be talked to ({type(error).__name__}: {said}).")


async def _tell_given_up(session: ClientSession, number: int | str) -> None:
    """Say so as the protocol has it ("Cancellation" in its basic utilities)."""
    from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

    why = CancelledNotificationParams(requestId=number, reason="Nobody waits for it any more.")
    with suppress(TimeoutError, ClosedResourceError, BrokenResourceError):
        async with asyncio.timeout(NOTICE_SECONDS):
            await session.send_notification(ClientNotification(CancelledNotification(params=why)))


def is_closed(error: BaseException | None) -> bool:
    """Report whether an error means that the connection is closed.

    The SDK's code for that is one that servers use for errors of their own.
    """
    from mcp import McpError
    from mcp.types import CONNECTION_CLOSED

    if isinstance(error, McpError):
        told = error.error
        return told.code == CONNECTION_CLOSED and told.message == "Connection closed"
    return isinstance(error, ClosedResourceError | BrokenResourceError | EndOfStream)
