"""A real HTTP server on loopback with a test's answers, and a loop with its own host names."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    target: str
    """Path and query, unchanged from the wire."""
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """An answer of the server."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    as_json: Any = None

    @property
    def encoded(self) -> bytes:
        """The bytes of the body."""
        text = self.body if self.as_json is None else json.dumps(self.as_json)
        return text.encode() if isinstance(text, str) else text


def redirect(location: str, status: int = 302) -> Answer:
    """Send the client elsewhere."""
    return Answer(status=status, headers={"Location": location})


class WebServer:
    """A server that answers with the function `answer`, and records the requests in `asked`.

    `said` holds answers for a test whose function looks them up there.
    """

    def __init__(
        self,
        answer: Callable[[Asked], Answer],
        host: str = "127.0.0.1",
        said: dict[str, Answer] | None = None,
        port: int = 0,
    ) -> None:
        self.asked: list[Asked] = []
        self.said = {} if said is None else said
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                asked = Asked(self.command, self.path, self.headers, self.rfile.read(length))
                server.asked.append(asked)
                said = answer(asked)
                body = said.encoded
                self.send_response(said.status)
                headers = {"Content-Type": "application/json"} | dict(said.headers)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers and "Transfer-Encoding" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - http.server's

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self.host, self.port = host, self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        """Base URL of the server."""
        return f"http://{self.host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class NamingLoop(asyncio.SelectorEventLoop):
    """A loop with the host names of a test: each look-up returns the next list of addresses."""

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        super().__init__()
        self._names = {name: list(answers) for name, answers in names.items()}
        self.looked_up: list[str] = []

    async def getaddrinfo(self, host: Any, port: Any, **options: Any) -> Any:
        """Return the next addresses of a name; the last list is repeated."""
        name = host.decode() if isinstance(host, bytes) else host
        if name not in self._names:
            return await super().getaddrinfo(host, port, **options)
        self.looked_up.append(name)
        answers = self._names[name]
        numbers = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (
                socket.AF_INET6 if ":" in number else socket.AF_INET,
                socket.SOCK_STREAM,
                socket.IPPROTO_TCP,
                "",
                (number, port, 0, 0) if ":" in number else (number, port),
            )
            for number in numbers
        ]
