"""Baton's server process: daphne with limits on requests and socket messages."""

import asyncio
import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from channels.layers import get_channel_layer
from daphne.endpoints import build_endpoint_description_strings
from daphne.http_protocol import WebRequest
from daphne.management.commands.runserver import get_default_application
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from django.urls import get_resolver
from twisted.internet import reactor
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from designer.serving.job_worker import JobWorker

MAX_WEBSOCKET_MESSAGE = 64 * 1024
MAX_BODY = 16 * 1024 * 1024
"""Maximum size of a request body in bytes; larger than the file limits, so that pages can report
files that are too large."""

SWITCH_SECONDS = 0.0002
"""Switch interval of threads in seconds. The event loop releases the interpreter for every frame
that it sends. With Python's default of 5 ms, ten frames took as long as rendering a page."""

SHUTDOWN_SECONDS = 15.0
"""Maximum seconds for open requests and runs to end when the server stops."""


NORMAL, RESTARTING = 1000, 1012
"""Close codes of sockets (RFC 6455, 7.4.1, and its registry)."""


class BoundedRequest(WebRequest):
    """A request that stores at most `MAX_BODY` bytes of its body.

    Daphne writes the whole body to disk before Django checks the user.
    """

    received = 0

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Store a chunk of the body, up to the limit."""
        self.received += len(data)
        if self.received <= MAX_BODY:
            super().handleContentChunk(data)

    def process(self) -> Any:
        """Answer 413 if the body was too large (RFC 9110, 15.5.14)."""
        if self.received <= MAX_BODY:
            return super().process()
        limit = f"A request body may have at most {MAX_BODY // 2**20} MiB."
        return self.basic_error(413, b"Content Too Large", limit)


class BoundedSocket(WebSocketProtocol):
    """A websocket with a size limit for received messages only.

    Autobahn applies one limit to both directions and drops larger messages, but missed events are
    sent in large messages. The consumers limit the data on its way to a reader.
    """

    maxMessagePayloadSize: int  # noqa: N815 - autobahn's name

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802 - daphne's name
        """Close the socket with any code; autobahn refuses the codes of servers."""
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(code=code or NORMAL)

    def sendMessage(self, *args: Any, **options: Any) -> None:  # noqa: N802 - autobahn's name
        """Send a message of any size."""
        limit, self.maxMessagePayloadSize = self.maxMessagePayloadSize, 0
        try:
            super().sendMessage(*args, **options)
        finally:
            self.maxMessagePayloadSize = limit

    def sendData(  # noqa: N802 - autobahn's name
        self, data: bytes, sync: bool = False, chopsize: int | None = None
    ) -> None:
        """Write a frame to the socket directly, unless earlier data is pending.

        Twisted would register the socket with the event loop for each frame (four system calls),
        and autobahn would format an unused log line.
        """
        transport = self.transport
        if sync or chopsize or self.send_queue or transport.TLS:
            super().sendData(data, sync, chopsize)
            return
        pending = transport.dataBuffer or transport._tempDataBuffer  # noqa: SLF001 - no public API
        if transport.connected and not pending:
            sent = transport.writeSomeData(data)
            if isinstance(sent, int):  # the event loop detects a lost connection
                data = data[sent:]
        if data:
            transport.write(data)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - autobahn's name
        """Process received data without autobahn's unused log line."""
        self._dataReceived(data)


class AnnouncingServer(Server):
    """A daphne server that announces its address when it is ready."""

    def __init__(self, *, announce: Callable[[str], None], **options: Any) -> None:
        super().__init__(ready_callable=self._prepare, server_name="", **options)
        self.announce = announce
        self._ports: list[Any] = []
        self._background: list[asyncio.Task[None]] = []
        self._job_worker: JobWorker | None = None

    def listen_success(self, port: Any) -> None:
        """Announce the address; the system chooses the port if it is 0."""
        from designer.core import return_connection  # needs Django's set-up

        super().listen_success(port)
        self._ports.append(port)
        address = port.getHost()
        self.announce(f"http://{address.host}:{address.port}")
        return_connection()  # this thread needs none from now on

    def kill_all_applications(self) -> Deferred[None]:
        """Stop all applications; the server stops when they have ended.

        Daphne waits only for the first application. The thread of another page could then wait for
        the event loop forever and block the process.
        """
        return Deferred.fromFuture(asyncio.ensure_future(self._shut_down()))

    async def _shut_down(self) -> None:
        """Close every socket, cancel every application, and release every run.

        A client reconnects at once to another process, which continues the run.
        """
        from designer.rehearsal import shut_down  # needs Django's set-up

        for port in self._ports:
            port.stopListening()
        for protocol in list(self.connections):
            if isinstance(protocol, BoundedSocket):
                protocol.serverClose(RESTARTING)
        for task in self._background:
            task.cancel()
        instances = (details.get("application_instance") for details in self.connections.values())
        applications = [instance for instance in instances if instance is not None]
        for application in applications:
            application.cancel()
        ends = [asyncio.ensure_future(shut_down()), *applications]
        if self._job_worker is not None:
            ends.append(asyncio.ensure_future(self._job_worker.stop()))
        await asyncio.wait(ends, timeout=SHUTDOWN_SECONDS)

    def _prepare(self) -> None:
        """Set the limits, and start jobs and runs as soon as the event loop runs.

        Workers drive the runs if there are any.
        """
        self._set_bounds()
        reactor.callWhenRunning(self._continue_work)

    def _continue_work(self) -> None:
        # These need Django's set-up.
        from designer.rehearsal import work
        from designer.serving.job_worker import JobWorker
        from designer.serving.layer_check import warn_about_channel_layer

        self._background.append(asyncio.ensure_future(warn_about_channel_layer()))
        self._job_worker = JobWorker()
        self._background.append(asyncio.ensure_future(self._job_worker.run()))
        if settings.RUNS == "here":
            self._background.append(asyncio.ensure_future(work()))

    def _set_bounds(self) -> None:
        """Limit bodies, and close sockets with a code where autobahn would just drop them.

        Other options of sockets keep autobahn's defaults. `SameOriginValidator` rejects null
        origins.
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
    """Serve HTTP and websockets until a signal; call `announce` with the base URL.

    A websocket message of more than 64 KiB closes its socket with code 1009 (RFC 6455, 7.4.1); a
    request with a body of more than 16 MiB is answered 413.
    """
    application = get_default_application()
    _ = get_resolver().url_patterns
    get_channel_layer()  # the time limit of the first socket does not include its imports
    server = AnnouncingServer(
        announce=announce,
        application=application,
        endpoints=build_endpoint_description_strings(host=host, port=port),
        websocket_max_message_size=MAX_WEBSOCKET_MESSAGE,
        websocket_max_frame_size=MAX_WEBSOCKET_MESSAGE,
        websocket_connect_timeout=5,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.get_event_loop().set_exception_handler(report_unhandled)
    # The loaded modules stay in memory: exclude them from garbage collection.
    gc.collect()
    gc.freeze()
    server.run()
    _close_loop(asyncio.get_event_loop())
    if server.abort_start:
        sys.exit(1)


def report_unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception that nothing handles, as asyncio does, but no cancellation.

    If a client leaves while a thread works on its request, asgiref cancels the request, and nothing
    reads the result of the thread. This is not an error.
    """
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)


def _close_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the remaining tasks: a thread that waits for one would wait forever."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=1))
    loop.close()
