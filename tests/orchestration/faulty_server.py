"""A server on loopback that does what it is told to each request, however wrong that is."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Self

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class FaultyServer:
    """Does to each request what comes next, and the last for ever; counts the requests.

    It listens at once, unless it is `late`: then nobody is there until it opens, or its queue is so
    full that no connection comes about.
    """

    def __init__(self, *behaviours: Behaviour, late: str = "") -> None:
        self._behaviours = list(behaviours)
        self._late = late
        self.asked = 0
        self._socket = socket.socket()
        self._queue: list[socket.socket] = []
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        host, port = self._socket.getsockname()
        return f"http://{host}:{port}/v1"

    async def __aenter__(self) -> Self:
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        if self._late == "full":
            self._socket.listen(0)
            await self._fill()
        elif not self._late:
            await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for one in (*self._queue, self._socket):
            one.close()

    async def open(self) -> None:
        """Be there from now on."""
        if self._server is None:
            self._server = await asyncio.start_server(self._meet, sock=self._socket)

    async def _fill(self) -> None:
        """Connect until nobody else can."""
        loop = asyncio.get_running_loop()
        for _ in range(8):
            one = socket.socket()
            one.setblocking(False)
            self._queue.append(one)
            try:
                async with asyncio.timeout(0.2):
                    await loop.sock_connect(one, self._socket.getsockname())
            except TimeoutError:
                return
        raise AssertionError("the queue of the server does not fill")

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            await reader.readexactly(length)
            self.asked += 1
            first, *rest = self._behaviours
            self._behaviours = rest or [first]
            await first(writer)
        with suppress(ConnectionError):
            writer.close()


def answering(status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Answer with a status, a body of JSON and these headers."""
    written = json.dumps(body if body is not None else {}).encode()

    async def behave(writer: asyncio.StreamWriter) -> None:
        told = {"Content-Type": "application/json", "Content-Length": str(len(written))}
        await _write(writer, _head(status, told | dict(headers or {})) + written)

    return behave


def streaming(*chunks: bytes, kind: str, then: str = "", headers: Any = None) -> Behaviour:
    """Answer with a stream in chunks; `then`: end it, `reset` it, `hang`, or `drip` for ever."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        told = {"Content-Type": kind, "Transfer-Encoding": "chunked"}
        await _write(writer, _head(200, told | dict(headers or {})))
        for chunk in chunks:
            await _write(writer, b"%x\r\n%s\r\n" % (len(chunk), chunk))
        while then == "drip":
            await _write(writer, b"1\r\n\n\r\n")
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.02)
        if then == "hang":
            await asyncio.Event().wait()
        if then == "":
            await _write(writer, b"0\r\n\r\n")

    return behave


async def silence(_: asyncio.StreamWriter) -> None:
    """Say nothing at all."""
    await asyncio.Event().wait()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
