"""A small, strict server of OpenAI's chat-completions protocol with scripted answers.

The test's script is given a request and returns the pieces of the answer:

    def script(request):
        if "refund" in request["messages"][-1]["content"]:
            return [Call("handoff_to_billing", {"reason": "refund"})]
        return ["Hel", "lo.", HOLD, " Still there?"]

    with OpenAIServer(script) as server:
        ...OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=server.api_key
        server.release()

Shapes follow the API reference, "Create chat completion" and "The chat completion chunk object".
"""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self


@dataclass(frozen=True)
class Call:
    """A tool call. `arguments` can be a text, to send invalid JSON."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""
    piece_length: int = 7

    def text(self) -> str:
        """Return the arguments as text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Failure:
    """An HTTP error in place of pieces, with the headers of real ones."""

    status: int
    message: str = "The server had an error while processing your request."
    headers: tuple[tuple[str, str], ...] = ()


class Signal:
    """A marker among the pieces."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


HOLD: Final = Signal("HOLD")  # wait here until the test calls release()
DROP: Final = Signal("DROP")  # cut the connection here, without a finish marker
BROKEN: Final = Signal("BROKEN")  # send a chunk here that is no JSON
SILENCE: Final = Signal("SILENCE")  # as the first: say nothing at all until a release
NOTHING: Final = Signal("NOTHING")  # as the first: cut the connection instead of an answer

Piece = str | Call | Signal
Script = Callable[[dict[str, Any]], Sequence[Piece] | Failure]


def echo(request: dict[str, Any]) -> list[Piece]:
    """Answer with the text of the last message: the default script."""
    return [word + " " for word in str(request["messages"][-1]["content"]).split()]


class OpenAIServer:
    """The server; a context manager. `requests` holds every request's body, in order.

    `headers` holds their headers; `models` is what the server says that it has.
    `delay` is the time in seconds before each chunk.
    """

    api_key = "sk-for-tests-only"

    def __init__(self, script: Script = echo, *, delay: float = 0.0) -> None:
        self.script = script
        self.delay = delay
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Message] = []
        self.models = ["small", "large"]
        self.disconnected = threading.Event()
        self._holding = threading.Event()
        self._releases = threading.Semaphore(0)
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._releases.release(1000)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        """Value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that connect Baton to this server."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key}

    def wait_until_held(self, seconds: float = 20.0) -> None:
        """Wait until an answer has reached a HOLD; everything before it has been sent."""
        assert self._holding.wait(seconds), "no answer came to a HOLD"
        self._holding.clear()

    def release(self) -> None:
        """Release one answer from its current or next HOLD."""
        self._releases.release()

    def hold(self) -> None:
        """Wait at a HOLD for a release."""
        self._holding.set()
        self._releases.acquire()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: OpenAIServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that disconnected between two requests; print other errors."""
        if isinstance(sys.exception(), ConnectionError):
            self.owner.disconnected.set()
        else:
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        owner = self.server.owner
        if self.path != "/v1/models":
            return self._fail(Failure(404, f"Unknown request URL: GET {self.path}."))
        if self.headers.get("Authorization") != f"Bearer {owner.api_key}":
            return self._fail(Failure(401, "Incorrect API key provided."))
        found = [{"id": name, "object": "model", "owned_by": "tests"} for name in owner.models]
        return self._send_json(200, {"object": "list", "data": found})

    def do_POST(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path != "/v1/chat/completions":
            return self._fail(Failure(404, f"Unknown request URL: POST {self.path}."))
        if self.headers.get("Authorization") != f"Bearer {owner.api_key}":
            return self._fail(Failure(401, "Incorrect API key provided."))
        request = json.loads(body)
        owner.requests.append(request)
        owner.headers.append(self.headers)
        if fault := find_fault(request):
            return self._fail(Failure(400, fault))
        answer = owner.script(request)
        if isinstance(answer, Failure):
            return self._fail(answer)
        if answer and answer[0] in (SILENCE, NOTHING):
            if answer[0] is SILENCE:
                owner.hold()
            self.close_connection = True
            return None
        try:
            if request.get("stream"):
                return self._stream(request, answer)
            return self._send_json(200, completion(request, answer))
        except (BrokenPipeError, ConnectionResetError):
            owner.disconnected.set()
            self.close_connection = True

    def _stream(self, request: dict[str, Any], answer: Sequence[Piece]) -> None:
        owner = self.server.owner
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in stream(request, answer):
            if chunk is HOLD:
                owner.hold()
            elif chunk is DROP:
                self.close_connection = True
                return
            elif chunk is BROKEN:
                self._send_chunk('data: {"choices": [{"delta"\n\n')
            else:
                time.sleep(owner.delay)
                self._send_chunk(f"data: {json.dumps(chunk)}\n\n")
        self._send_chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _fail(self, failure: Failure) -> None:
        error = {
            "message": failure.message,
            "type": "invalid_request_error",
            "param": None,
            "code": None,
        }
        self._send_json(failure.status, {"error": error}, failure.headers)

    def _send_json(
        self, status: int, value: object, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, content in headers:
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Log nothing: `requests` contains all requests."""


def find_fault(request: dict[str, Any]) -> str | None:
    """Return the error of the real server for the request, or None."""
    messages = request.get("messages")
    if not isinstance(request.get("model"), str) or not isinstance(messages, list) or not messages:
        return "you must provide a model parameter and messages"
    awaited: set[str] = set()
    for message in messages:
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in awaited:
                return "messages with role 'tool' must be a response to a preceding tool call"
            awaited.remove(message["tool_call_id"])
            continue
        if awaited:
            return f"tool_call_ids did not have response messages: {', '.join(sorted(awaited))}"
        if role not in {"system", "developer", "user", "assistant"}:
            return f"invalid role {role!r}"
        if role != "assistant" and not isinstance(message.get("content"), str | list):
            return f"invalid content in a message of role {role!r}"
        awaited = {call["id"] for call in message.get("tool_calls") or ()}
    if awaited:
        return f"tool_call_ids did not have response messages: {', '.join(sorted(awaited))}"
    names = [tool["function"]["name"] for tool in request.get("tools") or ()]
    if any(not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names):
        return f"invalid function name among {names!r}"
    return None


def stream(request: dict[str, Any], answer: Sequence[Piece]) -> Iterator[dict[str, Any] | Signal]:
    """Yield the chunks of a streamed answer: the role, the pieces, the finish, the usage."""
    yield _chunk(request, {"role": "assistant", "content": ""})
    index = 0
    for piece in answer:
        match piece:
            case str():
                yield _chunk(request, {"content": piece})
            case Call():
                yield from _call_chunks(request, index, piece)
                index += 1
            case Signal():
                yield piece
    yield _chunk(request, {}, finish_reason="tool_calls" if index else "stop")
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**_chunk(request, {}), "choices": [], "usage": usage(request, answer)}


def _call_chunks(request: dict[str, Any], index: int, call: Call) -> Iterator[dict[str, Any]]:
    """Yield a tool call in pieces: id and name first, then the arguments."""
    head = {"name": call.name, "arguments": ""}
    first = {"index": index, "id": call.id or f"call_{index}", "type": "function", "function": head}
    yield _chunk(request, {"tool_calls": [first]})
    text = call.text()
    for start in range(0, len(text), call.piece_length):
        piece = {"arguments": text[start : start + call.piece_length]}
        yield _chunk(request, {"tool_calls": [{"index": index, "function": piece}]})


def _chunk(
    request: dict[str, Any], delta: dict[str, Any], finish_reason: str | None = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": request["model"],
        "choices": [choice],
    }


def completion(request: dict[str, Any], answer: Sequence[Piece]) -> dict[str, Any]:
    """Return the whole answer for a request without streaming."""
    calls = [
        {
            "id": call.id or f"call_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.text()},
        }
        for index, call in enumerate(piece for piece in answer if isinstance(piece, Call))
    ]
    text = "".join(piece for piece in answer if isinstance(piece, str))
    message = {"role": "assistant", "content": text or None, "tool_calls": calls or None}
    reason = "tool_calls" if calls else "stop"
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage(request, answer),
    }


def usage(request: dict[str, Any], answer: Sequence[Piece]) -> dict[str, int]:
    """Return the usage; each word counts as a token."""
    asked = sum(len(str(message.get("content") or "").split()) for message in request["messages"])
    said = sum(len(str(piece).split()) for piece in answer if not isinstance(piece, Signal))
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
