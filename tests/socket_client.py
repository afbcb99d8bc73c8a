"""A websocket client for hundreds of connections at once, in one event loop (RFC 6455)."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from urllib.parse import urlsplit

TEXT, CLOSE = 0x1, 0x8


class SocketGoneError(Exception):
    """A failed or closed connection; `code` is the close code of the server."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(f"closed with {code}" if code else "gone")
        self.code = code


class SocketClient:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, url: str, headers: dict[str, str]) -> SocketClient:
        """Connect and wait until the server accepts the handshake."""
        parts = urlsplit(url)
        lines = [
            f"GET {parts.path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        try:
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**24)
        except OSError:
            raise SocketGoneError from None
        client = cls(reader, writer)
        try:
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin1"))
            head = await reader.readuntil(b"\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError):
            client.drop()
            raise SocketGoneError from None
        except BaseException:  # such as a cancellation
            client.drop()
            raise
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            client.drop()
            raise SocketGoneError(int(head.split()[1]))
        return client

    def drop(self) -> None:
        """Close the connection without a closing handshake."""
        self._writer.close()
        self._writer.transport.abort()

    def send(self, text: str) -> None:
        """Send a text message."""
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | TEXT, 0x80 | size)
        else:
            head = struct.pack("!BBH", 0x80 | TEXT, 0x80 | 126, size)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self._writer.write(head + mask + masked)

    async def receive(self) -> str:
        """Return the next text message."""
        try:
            while True:
                first, second = await self._reader.readexactly(2)
                size = second & 0x7F
                if size == 126:
                    (size,) = struct.unpack("!H", await self._reader.readexactly(2))
                elif size == 127:
                    (size,) = struct.unpack("!Q", await self._reader.readexactly(8))
                data = await self._reader.readexactly(size)
                if first & 0x0F == TEXT:
                    return data.decode()
                if first & 0x0F == CLOSE:
                    raise SocketGoneError(int.from_bytes(data[:2], "big"))
        except (OSError, asyncio.IncompleteReadError):
            raise SocketGoneError from None
