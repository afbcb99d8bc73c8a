"""Streams to and from an MCP server, with limits and end detection."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

import httpx
from anyio import ClosedResourceError, EndOfStream
from anyio.abc import ObjectReceiveStream, ObjectSendStream

from orchestration.network import AnswerRefused

Tell = Callable[..., None]
"""Takes the news that there is no server any more, and in what way it went."""

MAX_MCP_BYTES = 16 * 1024 * 1024
"""Bytes of one answer that are taken in: the SDK keeps all of it."""

NOTICE_SECONDS = 10.0
"""Maximum seconds for a server to accept a cancellation notice."""

SENT: ContextVar[list[int | str]] = ContextVar("sent")
"""Ids of the requests that a task sends."""

_CANCELLED = "notifications/cancelled"


class Noted(ObjectSendStream[Any]):
    """Outgoing messages; records the id of each request for its sender."""

    def __init__(self, inner: ObjectSendStream[Any]) -> None:
        self._inner = inner

    async def send(self, item: Any) -> None:
        """Send it, and note its id."""
        said, noted = item.message.root, SENT.get(None)
        if noted is not None and hasattr(said, "id"):
            noted.append(said.id)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Close what is within."""
        await self._inner.aclose()


class Watched(ObjectReceiveStream[Any]):
    """Incoming messages of a server, and the notice of its end.

    Over HTTP what is no message was an answer, and there will be no other. What a process prints
    beside its messages is nothing to us.
    """

    def __init__(self, inner: ObjectReceiveStream[Any], tell: Tell, *, is_web: bool) -> None:
        self._inner, self._tell, self._is_web = inner, tell, is_web

    async def receive(self) -> Any:
        """Return the next message."""
        try:
            said = await self._inner.receive()
        except (EndOfStream, ClosedResourceError):
            self._tell()
            raise
        if self._is_web and isinstance(said, Exception):
            self._tell("answered what is no answer")
        return said

    async def aclose(self) -> None:
        """Close what is within."""
        await self._inner.aclose()


class Listening(httpx.AsyncBaseTransport):
    """Tells when a request finds no server, or its answer breaks off or ends without one.

    What becomes of a request that is given up says nothing of the server.
    """

    def __init__(
        self, inner: httpx.AsyncBaseTransport, tell: Tell, given_up: set[int | str]
    ) -> None:
        self._inner, self._tell, self._given_up = inner, tell, given_up

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, which is watched from here on."""
        sent = _object_in(request.content if request.method == "POST" else b"")
        if is_notice := sent.get("method") == _CANCELLED:
            limits = request.extensions.get("timeout", {})
            request.extensions["timeout"] = {**limits, "read": NOTICE_SECONDS}
        try:
            response = await self._inner.handle_async_request(request)
        except AnswerRefused:
            self._tell("compresses its answers, which it was not asked for,")
            raise
        except httpx.TransportError:
            self._tell()
            raise
        if is_notice:  # no answer to it is of use, and the SDK would end the session for a refusal
            await response.aclose()
            return httpx.Response(202, request=request)
        response.stream = _Bounded(response.stream, self._tell)
        is_stream = "text/event-stream" in response.headers.get("content-type", "")
        if request.method == "POST" and is_stream:
            number: Any = sent.get("id")
            tell = partial(self._tell_of, number)
            response.stream = _Heard(response.stream, tell)
        return response

    async def aclose(self) -> None:
        """Close what is within."""
        await self._inner.aclose()

    def _tell_of(self, number: int | str) -> None:
        """The answer to a request has ended without one."""
        if number not in self._given_up:
            self._tell()


class _Bounded(httpx.AsyncByteStream):
    """An answer, as long as it is no longer than can be kept."""

    def __init__(self, inner: Any, tell: Tell) -> None:
        self._inner, self._tell = inner, tell

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        left = MAX_MCP_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                self._tell("answered more than can be taken in")
                raise httpx.ReadError("too long")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Heard(httpx.AsyncByteStream):
    """The events that answer one request."""

    def __init__(self, inner: Any, tell: Tell) -> None:
        self._inner, self._tell = inner, tell

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        answered, line = False, b""
        try:
            async for chunk in self._inner:
                *lines, line = (line + chunk).split(b"\n")
                answered = answered or any(map(_answers, lines))
                yield chunk
        except httpx.TransportError:
            self._tell()
            raise
        if not answered:
            self._tell()

    async def aclose(self) -> None:
        await self._inner.aclose()


def _answers(line: bytes) -> bool:
    """Report whether a line of an event stream is an answer, or a position to resume from."""
    field, _, data = line.partition(b":")
    if field == b"id":
        return True
    said = _object_in(data) if field == b"data" else {}
    return "result" in said or "error" in said


def _object_in(text: bytes) -> dict[str, Any]:
    """The JSON object that a text is; an empty one where it is none."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
