"""A small websocket client (RFC 6455) over a real socket, which can also violate the protocol."""

import base64
import os
import socket
import struct
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

TEXT = 0x1
CLOSE = 0x8


class WebsocketRefusedError(Exception):
    """A handshake that was not answered with 101; `status` is the status of the response."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the handshake was answered with {status}")
        self.status = status


class WebsocketClient:
    """One connection; a context manager. The handshake sends exactly the headers given."""

    def __init__(self, url: str, headers: list[tuple[str, str]] | None = None) -> None:
        parts = urlsplit(url)
        address = (parts.hostname or "", parts.port or 80)
        self._socket = socket.create_connection(address, timeout=20)
        self._file = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path or '/'} HTTP/1.1",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            *(f"{name}: {value}" for name, value in headers or []),
        ]
        if not any(name.lower() == "host" for name, _ in headers or []):
            lines.insert(1, f"Host: {parts.netloc}")
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin1"))
        status = int(self._file.readline().split()[1])
        while self._file.readline().strip():
            pass
        if status != 101:
            self.close()
            raise WebsocketRefusedError(status)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection without a closing handshake."""
        self._file.close()
        self._socket.close()

    def send(self, text: str) -> None:
        """Send a text message in one frame."""
        data = text.encode()
        mask = os.urandom(4)
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | TEXT, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | TEXT, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | TEXT, 0x80 | 127, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")
        self._socket.sendall(head + mask + masked.to_bytes(size, "big"))

    def receive(self) -> str | int:
        """Return the text of the next message, or the close code of the server."""
        while True:
            first, second = self._file.read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._file.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._file.read(8))
            data = self._file.read(size)
            if first & 0x0F == TEXT:
                return data.decode()
            if first & 0x0F == CLOSE:
                return int.from_bytes(data[:2], "big")
