"""Metrics of a process without pages, such as a worker, on a port of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.db import close_old_connections, connections

from designer.monitoring.metrics import CONTENT_TYPE, exposition
from designer.monitoring.probes import refuse_without_token


@contextmanager
def metrics_server(*, host: str, port: int) -> Iterator[str]:
    """Serve /metrics in a thread; yield its address. The token is required here too."""
    with make_server(host, port, _application, handler_class=_SilentHandler) as server:
        thread = Thread(target=_serve, args=[server], name="metrics", daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{server.server_port}/metrics"
        finally:
            server.shutdown()
            thread.join()


def _serve(server: WSGIServer) -> None:
    try:
        server.serve_forever()
    finally:
        connections.close_all()


def _application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    if environ["PATH_INFO"] != "/metrics" or environ["REQUEST_METHOD"] != "GET":
        return _respond(start, "404 Not Found", b"Only GET /metrics is served here.\n")
    if (refusal := refuse_without_token(environ.get("HTTP_AUTHORIZATION", ""))) is not None:
        status, text = refusal
        return _respond(start, f"{status} Refused", f"{text}\n".encode())
    try:
        return _respond(start, "200 OK", exposition(), CONTENT_TYPE)
    finally:
        close_old_connections()


def _respond(
    start: Callable[..., Any], status: str, body: bytes, content_type: str = "text/plain"
) -> Iterable[bytes]:
    start(status, [("Content-Type", content_type), ("Content-Length", str(len(body)))])
    return [body]


class _SilentHandler(WSGIRequestHandler):
    """Handler that does not log each scrape."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing."""
