"""One session with an MCP server, shared by the calls of an event loop, over the official SDK.

The SDK's contexts must be left by the task that entered them. Each session therefore has a task of
its own, which ends after an idle time or when the server disconnects. A call in progress fails as
soon as the server disconnects; the SDK alone would wait forever.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from anyio import BrokenResourceError, ClosedResourceError, EndOfStream

from orchestration.cancellation import end_tasks
from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.network import (
    AddressRefused,
    AllowedAddresses,
    ConnectionSettings,
)
from orchestration.tools.mcp_streams import (
    CONNECT_SECONDS,
    NOTICE_SECONDS,
    REQUEST_IDS,
    IncomingMessages,
    OutgoingMessages,
    open_streams,
)

if TYPE_CHECKING:
    from mcp import ClientSession

T = TypeVar("T")

IDLE_SECONDS = 300.0
"""Seconds before an unused session is closed."""

CLOSE_SECONDS = 10.0
"""Maximum seconds for closing a session; the SDK allows a process four of them."""


class McpSession:
    """A session with one server, and the task that runs it."""

    def __init__(
        self,
        connection: ConnectionSettings,
        allowed: AllowedAddresses,
        *,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self.connection, self._allowed, self._idle = connection, allowed, idle
        loop = asyncio.get_running_loop()
        self._initialized: asyncio.Future[ClientSession] = loop.create_future()
        self._disconnected: asyncio.Future[None] = loop.create_future()
        self._changed = asyncio.Event()
        self._calls, self._is_closing = 0, False
        self._cancelled: set[int | str] = set()
        """Ids of the cancelled requests."""
        self._notices: set[asyncio.Task[None]] = set()
        self._server, self._cause = f"The MCP server {connection.name!r}", ""
        self._task = asyncio.create_task(self._run(), name=f"mcp-{connection.name}")

    @property
    def is_open(self) -> bool:
        """True if the session accepts calls."""
        return not (self._is_closing or self._disconnected.done() or self._task.done())

    @property
    def is_used(self) -> bool:
        """True if a call is in progress."""
        return self._calls > 0

    async def send(self, request: Callable[[ClientSession], Coroutine[Any, Any, T]]) -> T:
        """Return the server's response to a request; raise `ToolError` if it disconnects first."""
        self._calls += 1
        try:
            session = await asyncio.shield(self._initialized)
            request_ids: list[int | str] = []
            context = copy_context()
            context.run(REQUEST_IDS.set, request_ids)
            sending = asyncio.create_task(request(session), context=context)
            try:
                await self._first_of(sending)
            finally:
                if sending.cancel() and request_ids and self.is_open:
                    self._cancel_request(session, request_ids[-1])
            if sending.done() and not self._ended_by(sending):
                return sending.result()
            raise ToolUnavailableError(f"{self._server} {self._cause} during the call.")
        finally:
            self._calls -= 1
            self._changed.set()

    async def aclose(self) -> None:
        """End the session as the protocol requires; end the server's process, if it has one."""
        self._is_closing = True
        self._changed.set()
        if not self._initialized.done():  # there is no session to end yet
            self._task.cancel()
        _, unresponsive = await asyncio.wait({self._task}, timeout=CLOSE_SECONDS)
        await end_tasks(unresponsive)

    def _ended_by(self, sending: asyncio.Task[Any]) -> bool:
        """Report whether a request failed because the server disconnected."""
        is_ended = sending.cancelled() or is_closed(sending.exception())
        if is_ended:
            self._end()
        return is_ended

    def _cancel_request(self, session: ClientSession, request_id: int | str) -> None:
        """Send the server a cancellation notice in the background."""
        self._cancelled.add(request_id)
        notice = asyncio.create_task(_send_cancellation(session, request_id))
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    # The session's own task

    async def _run(self) -> None:
        try:
            await asyncio.to_thread(importlib.import_module, "mcp")  # a slow import
            async with self._session() as session:
                self._initialized.set_result(session)
                await self._until_idle()
        except (Exception, asyncio.CancelledError) as error:
            if not self._initialized.done():
                self._initialized.set_exception(self._tool_error(error))
                self._initialized.exception()  # mark it as retrieved: there may be no caller
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._end()
            for notice in self._notices:
                notice.cancel()

    def _end(self, cause: str = "disconnected") -> None:
        """Mark the server as disconnected; `cause` completes the error message of its calls."""
        if not self._disconnected.done():
            self._cause = cause
            self._disconnected.set_result(None)
        self._changed.set()

    async def _until_idle(self) -> None:
        while not self._is_closing and not self._disconnected.done():
            self._changed.clear()
            try:
                async with asyncio.timeout(None if self._calls else self._idle):
                    await self._changed.wait()
            except TimeoutError:
                self._is_closing = not self._calls

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[ClientSession]:
        from mcp import ClientSession
        from mcp.types import Implementation

        streams = open_streams(self.connection, self._allowed, self._end, self._cancelled)
        async with streams as (read, write):
            is_web = self.connection.kind == "mcp"
            incoming: Any = IncomingMessages(read, self._end, is_web=is_web)
            outgoing: Any = OutgoingMessages(write)
            info = Implementation(name="baton", version="1")
            async with ClientSession(incoming, outgoing, client_info=info) as session:
                await self._initialize(session)
                yield session

    async def _initialize(self, session: ClientSession) -> None:
        handshake = asyncio.create_task(session.initialize())
        try:
            await self._first_of(handshake, within=CONNECT_SECONDS)
        finally:
            handshake.cancel()
        if handshake.done():
            handshake.result()
        elif self._disconnected.done():
            raise ToolUnavailableError(f"{self._server} {self._cause} during the handshake.")
        else:
            raise TimeoutError

    async def _first_of(self, task: asyncio.Task[Any], *, within: float | None = None) -> None:
        """Wait until the task is done, or the server has disconnected."""
        either: set[asyncio.Future[Any]] = {task, self._disconnected}
        await asyncio.wait(either, timeout=within, return_when=asyncio.FIRST_COMPLETED)

    def _tool_error(self, error: BaseException) -> ToolError:
        """Return the error of a failed handshake; a `ToolUnavailableError` if a retry may help."""
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
                advice = ": check its key" if status in (401, 403) else ""
                return ToolError(f"{name} answered with status {status}{advice}.")
            case TimeoutError() | httpx.TimeoutException():
                return ToolUnavailableError(
                    f"{name} did not complete the handshake within {CONNECT_SECONDS:g} seconds."
                )
            case FileNotFoundError() | PermissionError():
                return ToolError(f"{name} cannot be started: its command was not found.")
            case httpx.TransportError():
                return ToolUnavailableError(f"{name} cannot be reached.")
            case _ if is_closed(error) or isinstance(error, asyncio.CancelledError):
                return ToolUnavailableError(f"{name} disconnected during the handshake.")
            case _:
                message = self.connection.without_secrets(str(error))[:300]
                return ToolError(f"{name} cannot be used ({type(error).__name__}: {message}).")


async def _send_cancellation(session: ClientSession, request_id: int | str) -> None:
    """Send a cancellation notice ("Cancellation" in the protocol's basic utilities)."""
    from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

    params = CancelledNotificationParams(requestId=request_id, reason="The call was cancelled.")
    with suppress(TimeoutError, ClosedResourceError, BrokenResourceError):
        async with asyncio.timeout(NOTICE_SECONDS):
            await session.send_notification(
                ClientNotification(CancelledNotification(params=params))
            )


def is_closed(error: BaseException | None) -> bool:
    """Report whether an error means that the connection is closed.

    The message is compared too: servers use the SDK's error code for errors of their own.
    """
    from mcp import McpError
    from mcp.types import CONNECTION_CLOSED

    if isinstance(error, McpError):
        return error.error.code == CONNECTION_CLOSED and error.error.message == "Connection closed"
    return isinstance(error, ClosedResourceError | BrokenResourceError | EndOfStream)
