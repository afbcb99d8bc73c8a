"""A TCP proxy on loopback that can cut its connections, like a bad network."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self


class CuttingProxy:
    """Passes on connections to a port of loopback, until they are cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._lock = threading.Lock()
        self._ends: set[socket.socket] = set()
        self._is_over = False
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.refuses = False
        """True to close new connections at once."""
        self.swallows = False
        """True to discard the data of clients."""

    @property
    def url(self) -> str:
        """Address of the proxy."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        with self._lock:
            self._is_over = True
        self.cut()
        self._server.server_close()  # waits for every connection's thread, which closes its ends
        self._thread.join()

    def cut(self) -> None:
        """Cut every connection, even in the middle of a message."""
        with self._lock:
            for end in self._ends:
                _shut(end)

    def pass_on(self, client: socket.socket) -> None:
        """Forward a connection, in its own thread, until either side or a cut ends it."""
        with socket.create_connection(("127.0.0.1", self._target)) as server:
            ends = {client, server}
            with self._lock:
                if self._is_over or self.refuses:
                    return
                self._ends |= ends
            back = threading.Thread(target=_pour, args=(server, client, lambda: True))
            back.start()
            _pour(client, server, lambda: not self.swallows)
            back.join()
            with self._lock:
                self._ends -= ends


class _Server(socketserver.ThreadingTCPServer):
    def __init__(self, owner: CuttingProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        owner: CuttingProxy = self.server.owner  # type: ignore[attr-defined]
        if not owner.refuses:
            owner.pass_on(self.request)


def _pour(source: socket.socket, sink: socket.socket, passes: Callable[[], bool]) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            if passes():
                sink.sendall(data)
    _shut(source)
    _shut(sink)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
