"""Many websockets in one process: a client of few lines (RFC 6455), for measuring."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import struct
from urllib.parse import urlsplit

_MARK = re.compile(r'name="n" value="(\d+)"')


class Socket:
    """One connection; it tells the server that it has seen what it was asked about."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, url: str, session: str = "") -> Socket:
        """Connect as a page of the same origin does."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**24)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path} HTTP/1.1",
            f"Host: {parts.netloc}",
            f"Origin: http://{parts.netloc}",
            f"Cookie: sessionid={session}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
        ]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.partition(b"\r\n")[0]:
            raise ConnectionError(head.partition(b"\r\n")[0].decode())
        return cls(reader, writer)

    def send(self, text: str) -> None:
        """Send a text."""
        data = text.encode()
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        else:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        self.writer.write(head + b"\0\0\0\0" + data)

    async def receive(self) -> str:
        """The next text; ConnectionError where the server closes."""
        while True:
            first, second = await self.reader.readexactly(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self.reader.readexactly(8))
            data = await self.reader.readexactly(size)
            match first & 0x0F:
                case 0x1:
                    text = data.decode()
                    for mark in _MARK.findall(text):
                        self.send(f'{{"op": "seen", "n": {mark}}}')
                    return text
                case 0x8:
                    raise ConnectionError("the server has closed the socket")
                case 0x9:
                    self.writer.write(b"\x8a\x80\0\0\0\0")
                case _:
                    pass

    async def close(self) -> None:
        """Leave."""
        self.writer.close()
