"""Baton's server process: daphne, with bounds that suit what Baton's sockets carry."""

import asyncio
import gc
import sys
from collections.abc import Callable
from typing import Any

from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import WebRequest
from daphne.management.commands.runserver import get_default_application
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.urls import get_resolver
from twisted.internet.defer import Deferred

MAX_WEBSOCKET_MESSAGE = 64 * 1024
MAX_BODY = 16 * 1024 * 1024
"""Bytes of a request's body: room for a file that is refused with a sentence on the page."""

SWITCH_SECONDS = 0.0002
"""After how long a thread that makes a page gives way. With every frame that it sends the event
loop asks the system for something, and other threads run meanwhile: with Python's own 5 ms, ten
frames took as long as a page."""


LEAVE_SECONDS = 15.0
"""Maximum seconds for open requests and runs to end when the server stops."""


class BoundedRequest(WebRequest):
    """A request of which no more than `MAX_BODY` is kept, whoever sends it.

    Daphne takes a body whole, to disk, before Django sees who is asking.
    """

    received = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep a piece of the body, unless it is past the bound."""
        self.received += len(data)
        if self.received <= MAX_BODY:
            super().handleContentChunk(data)

    def process(self) -> Any:
        """Answer 413 to a body that was too large (RFC 9110, 15.5.14), else as daphne does."""
        if self.received <= MAX_BODY:
            return super().process()
        limit = f"A request may carry at most {MAX_BODY // 2**20} MiB."
        return self.basic_error(413, b"Content Too Large", limit)


class BoundedSocket(WebSocketProtocol):
    """A websocket that is bounded in what comes, and sends whatever is to be sent.

    Autobahn has one bound for both ways, and a message past it is not sent: the events that a page
    has missed come in larger ones. What is on its way to a reader, the consumers bound.
    """

    maxMessagePayloadSize: int  # noqa: N815 - autobahn's name

    def sendMessage(self, *args: Any, **options: Any) -> None:  # noqa: N802 - autobahn's name
        """Send a message of any size."""
        bound, self.maxMessagePayloadSize = self.maxMessagePayloadSize, 0
        try:
            super().sendMessage(*args, **options)
        finally:
            self.maxMessagePayloadSize = bound

    def sendData(  # noqa: N802 - autobahn's name
        self, data: bytes, sync: bool = False, chopsize: int | None = None
    ) -> None:
        """Hand a frame to the system at once, unless something waits before it.

        Twisted would have the event loop watch the socket for each frame, and ask the system four
        times; autobahn would first paint a line for a log that nobody keeps.
        """
        transport = self.transport
        if sync or chopsize or self.send_queue or transport.TLS:
            super().sendData(data, sync, chopsize)
            return
        waiting = transport.dataBuffer or transport._tempDataBuffer  # noqa: SLF001 - nothing else tells
        if transport.connected and not waiting:
            sent = transport.writeSomeData(data)
            if isinstance(sent, int):  # where the connection is lost, the event loop finds out
                data = data[sent:]
        if data:
            transport.write(data)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - autobahn's name
        """Take in what has come, without autobahn's line for a log that nobody keeps."""
        self._dataReceived(data)


class AnnouncingServer(Server):
    """A daphne that says where it listens, once it does."""

    def __init__(self, *, announce: Callable[[str], None], **options: Any) -> None:
        super().__init__(ready_callable=self._set_bounds, server_name="", **options)
        self.announce = announce

    def listen_success(self, port: Any) -> None:
        """Pass on the address, which the system chose where port 0 was asked for."""
        super().listen_success(port)
        address = port.getHost()
        self.announce(f"http://{address.host}:{address.port}")

    def kill_all_applications(self) -> Deferred[None]:
        """End what is under way, and let the server stop when all of it is over.

        Daphne waits for the first of its applications only. The thread of another's page, which
        waits for the event loop, would then wait for ever, and the process with it.
        """
        return Deferred.fromFuture(asyncio.ensure_future(self._leave()))

    async def _leave(self) -> None:
        """Cancel every application; let go of every run, and end the processes that it started."""
        from designer.rehearsal import shut_down  # only after Django's set-up

        found = [details.get("application_instance") for details in self.connections.values()]
        applications = [one for one in found if one is not None]
        for one in applications:
            one.cancel()
        letting_go = asyncio.ensure_future(shut_down())
        await asyncio.wait([letting_go, *applications], timeout=LEAVE_SECONDS)

    def _set_bounds(self) -> None:
        """Bound bodies; tell a socket that is cut off why, where autobahn would just drop it.

        What is not said of sockets falls back to autobahn's own: null origins are refused
        further in.
        """
        self.ws_factory.protocol = BoundedSocket
        self.ws_factory.setProtocolOptions(failByDrop=False, allowNullOrigin=True)
        build_protocol = self.http_factory.buildProtocol

        def build_bounded(address: Any) -> Any:
            protocol = build_protocol(address)
            protocol.requestFactory = BoundedRequest
            return protocol

        self.http_factory.buildProtocol = build_bounded


def serve(*, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Answer HTTP and websockets until a signal comes; `announce` is given the base URL.

    A websocket message of more than 64 KiB closes its socket with code 1009 (RFC 6455, 7.4.1); a
    request with a body of more than 16 MiB is answered 413.
    """
    application = get_default_application()
    _ = get_resolver().url_patterns
    server = AnnouncingServer(
        announce=announce,
        application=application,
        endpoints=build_endpoint_description_strings(host=host, port=port),
        websocket_max_message_size=MAX_WEBSOCKET_MESSAGE,
        websocket_max_frame_size=MAX_WEBSOCKET_MESSAGE,
        websocket_connect_timeout=5,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    # What is loaded now stays: the collector need not walk it again and again.
    gc.collect()
    gc.freeze()
    server.run()
    _end(asyncio.get_event_loop())
    if server.abort_start:
        sys.exit(1)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """End what is left on the event loop: a thread that waits for it would do so for ever."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=1))
    loop.close()
