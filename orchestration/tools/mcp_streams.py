"""Streams to and from an MCP server: its process or its web address, with limits, and its end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import httpx
from anyio import ClosedResourceError, EndOfStream
from anyio.abc import ObjectReceiveStream, ObjectSendStream

from orchestration.network import (
    AllowedAddresses,
    AnswerRefused,
    ConnectionSettings,
    guarded_transport,
)

OnEnd = Callable[..., None]
"""Called when the server has disconnected, with the cause for an error message, if known."""

CONNECT_SECONDS = 30.0
"""Maximum seconds for the handshake with a server."""

MAX_MCP_BYTES = 16 * 1024 * 1024
"""Maximum bytes of one response: the SDK keeps all of it in memory."""

NOTICE_SECONDS = 10.0
"""Maximum seconds for a server to accept a cancellation notice."""

REQUEST_IDS: ContextVar[list[int | str]] = ContextVar("request_ids")
"""Ids of the requests that a task sends."""

_CANCELLED = "notifications/cancelled"


@asynccontextmanager
async def open_streams(
    connection: ConnectionSettings,
    allowed: AllowedAddresses,
    on_end: OnEnd,
    cancelled: set[int | str],
) -> AsyncIterator[tuple[Any, Any]]:
    """Start the server's process, or connect to its address.

    Return the incoming and the outgoing stream.

    `cancelled` holds the ids of the cancelled requests.
    """
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if connection.kind == "mcp_stdio":
        program, *arguments = connection.command
        server = StdioServerParameters(command=program, args=arguments)
        errors: Any = sys.__stderr__ or subprocess.DEVNULL
        async with stdio_client(server, errlog=errors) as (read, write):
            yield read, write
        return
    async with (
        httpx.AsyncClient(
            transport=McpTransport(guarded_transport(allowed), on_end, cancelled),
            headers={"User-Agent": "baton"} | connection.credentials,
            # No read timeout: the tool handler limits the time of a call.
            timeout=httpx.Timeout(CONNECT_SECONDS, read=None),
            trust_env=False,
        ) as client,
        streamable_http_client(connection.base_url, http_client=client) as (read, write, _),
    ):
        yield read, write


class OutgoingMessages(ObjectSendStream[Any]):
    """Outgoing messages; records the id of each request for its sender."""

    def __init__(self, inner: ObjectSendStream[Any]) -> None:
        self._inner = inner

    async def send(self, item: Any) -> None:
        """Send a message and record its id."""
        message, request_ids = item.message.root, REQUEST_IDS.get(None)
        if request_ids is not None and hasattr(message, "id"):
            request_ids.append(message.id)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Close the wrapped stream."""
        await self._inner.aclose()


class IncomingMessages(ObjectReceiveStream[Any]):
    """Incoming messages of a server, with detection of their end.

    Over HTTP, an invalid message ends the connection: it was a response, and no other response
    follows. Over stdio it is ignored, because a process may print other text.
    """

    def __init__(self, inner: ObjectReceiveStream[Any], on_end: OnEnd, *, is_web: bool) -> None:
        self._inner, self._on_end, self._is_web = inner, on_end, is_web

    async def receive(self) -> Any:
        """Return the next message."""
        try:
            message = await self._inner.receive()
        except (EndOfStream, ClosedResourceError):
            self._on_end()
            raise
        if self._is_web and isinstance(message, Exception):
            self._on_end("sent an invalid response")
        return message

    async def aclose(self) -> None:
        """Close the wrapped stream."""
        await self._inner.aclose()


class McpTransport(httpx.AsyncBaseTransport):
    """Transport that reports failed requests and event streams that end without a response.

    The outcome of a cancelled request is ignored.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, on_end: OnEnd, cancelled: set[int | str]
    ) -> None:
        self._inner, self._on_end, self._cancelled = inner, on_end, cancelled

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; limit the response and report its unexpected end."""
        message = _parse_object(request.content if request.method == "POST" else b"")
        if is_notice := message.get("method") == _CANCELLED:
            limits = request.extensions.get("timeout", {})
            request.extensions["timeout"] = {**limits, "read": NOTICE_SECONDS}
        try:
            response = await self._inner.handle_async_request(request)
        except AnswerRefused:
            self._on_end("sent a compressed response, which was not requested,")
            raise
        except httpx.TransportError:
            self._on_end()
            raise
        if is_notice:  # the response is not needed, and the SDK would end the session on an error
            await response.aclose()
            return httpx.Response(202, request=request)
        response.stream = _LimitedStream(response.stream, self._on_end)
        is_stream = "text/event-stream" in response.headers.get("content-type", "")
        if request.method == "POST" and is_stream:
            request_id: Any = message.get("id")
            on_end = partial(self._end_unless_cancelled, request_id)
            response.stream = _ResponseEvents(response.stream, on_end)
        return response

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()

    def _end_unless_cancelled(self, request_id: int | str) -> None:
        if request_id not in self._cancelled:
            self._on_end()


class _LimitedStream(httpx.AsyncByteStream):
    """Body of a response with a maximum size."""

    def __init__(self, inner: Any, on_end: OnEnd) -> None:
        self._inner, self._on_end = inner, on_end

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        remaining = MAX_MCP_BYTES
        async for chunk in self._inner:
            remaining -= len(chunk)
            if remaining < 0:
                self._on_end(f"sent a response of more than {MAX_MCP_BYTES >> 20} MB")
                raise httpx.ReadError("too long")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _ResponseEvents(httpx.AsyncByteStream):
    """Event stream with the response to one request."""

    def __init__(self, inner: Any, on_end: OnEnd) -> None:
        self._inner, self._on_end = inner, on_end

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        has_response, line = False, b""
        try:
            async for chunk in self._inner:
                *lines, line = (line + chunk).split(b"\n")
                has_response = has_response or any(map(_is_response, lines))
                yield chunk
        except httpx.TransportError:
            self._on_end()
            raise
        if not has_response:
            self._on_end()

    async def aclose(self) -> None:
        await self._inner.aclose()


def _is_response(line: bytes) -> bool:
    """Report whether a line of an event stream is a response, or a position to resume from."""
    field, _, data = line.partition(b":")
    if field == b"id":
        return True
    message = _parse_object(data) if field == b"data" else {}
    return "result" in message or "error" in message


def _parse_object(text: bytes) -> dict[str, Any]:
    """Parse a JSON object; return an empty one for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
