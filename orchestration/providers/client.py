"""What the clients of all vendors have in common: one request, its retries, one stream, over httpx.

It asks again only before the first piece of an answer has come, never after. Redirects and proxies
of the environment are off, and the key stands in no error, no `repr` and no event.
"""

from __future__ import annotations

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar

import httpx
import msgspec
import stamina

from orchestration.addresses import AddressRefused
from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.providers.base import Finished, ModelRequest, Piece, Retry, TextPiece
from orchestration.providers.wire import Decoder, EventReader, Reader, said_in
from orchestration.tokens import estimate_tokens

MAX_ERROR = 64 * 1024
"""Bytes of an error's body that are read."""

RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Statuses after which asking again may help."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, and how often to ask."""

    connect: float = 5.0
    first_byte: float = 60.0
    between: float = 30.0
    turn: float = 300.0
    tries: int = 4
    retry_within: float = 60.0
    first_wait: float = 0.5


@dataclass(frozen=True, slots=True)
class Variables:
    """The environment's names for a provider's settings."""

    key: str
    address: str
    model: str


class _TryAgain(ProviderError):  # noqa: N818 - it says what to do
    """A failure before the first piece, after which asking again may help."""

    def __init__(self, error: ProviderError, wait: float | None = None) -> None:
        self.error, self.wait = error, wait
        super().__init__(str(error))


@dataclass(slots=True)
class _Answer:
    """A stream that has begun: its response, its events, and the first of them."""

    response: httpx.Response
    events: AsyncIterator[bytes]
    first: bytes | None


class VendorClient(ABC):
    """A client of one vendor's API: what is said to whom is the subclass's, how it is sent is not.

    `model` is asked where an agent names none. `headers` go along with every request, over the
    vendor's own of the same name; neither they nor `api_key` stand in any error, `repr` or event.
    """

    name: ClassVar[str]
    """What agents and events call it."""
    variables: ClassVar[Variables]
    """What the environment has for it, for errors to point to."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str = "",
        model: str = "",
        patience: Patience | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._host = httpx.URL(base_url).host or base_url
        if not (api_key.isascii() and api_key.isprintable()):
            raise ValueError(
                "The API key holds a character that no key has: look for a line break or a letter "
                "that came along when it was copied."
            )
        self._key, self._model = api_key, model
        self._extra = _checked(headers or {})
        self._patience = patience or Patience()
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._host!r}, model={self._model!r})"

    # What each vendor has of its own

    @abstractmethod
    def url(self, model: str) -> str:
        """Where a model is asked."""

    @abstractmethod
    def encode(self, request: ModelRequest, model: str) -> bytes:
        """The body of a streaming request, as JSON."""

    @abstractmethod
    def decoder(self, model: str) -> Decoder:
        """What takes in the events of one stream."""

    def reader(self) -> Reader:
        """What cuts a stream into events: server-sent ones, unless the vendor has others."""
        return EventReader()

    def headers(self) -> dict[str, str]:
        """What every request carries besides: the key, as the vendor wants it."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    # A provider

    def model_of(self, request: ModelRequest) -> str:
        """The agent's model, else the provider's."""
        return request.model or self._model

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Ask, and give the answer as it comes."""
        deadline = asyncio.get_running_loop().time() + self._patience.turn
        model = self._chosen(request)
        body = self.encode(request, model)
        answer: _Answer | None = None
        async with aclosing(self._open(body, request)) as tries:
            async for one in tries:
                if isinstance(one, Retry):
                    yield one
                else:
                    answer = one
        if answer is None:
            raise AssertionError("stamina asks at least once")
        decoder, said = self.decoder(model), 0
        try:
            data: bytes | None = answer.first
            while data is not None:
                for piece in decoder.decode(data):
                    said += len(piece.text) if isinstance(piece, TextPiece) else 0
                    yield piece
                data = None if decoder.ended else await self._next(answer.events, deadline)
            for piece in decoder.finish():
                yield _counted(piece, request, said)
            await _drain(answer.events)
        finally:
            await answer.response.aclose()

    def _chosen(self, request: ModelRequest) -> str:
        model = self.model_of(request)
        if not model:
            variable = self.variables.model
            raise ProviderError(
                f"No model is named: set {variable}, or name one on agent {request.agent.id!r}."
            )
        return model

    async def _open(
        self, body: bytes, request: ModelRequest
    ) -> AsyncGenerator[Retry | _Answer, None]:
        """Ask until the first event is there, or no try is left; tell of each try that failed."""
        patience = self._patience
        attempts = stamina.retry_context(
            on=_wait_for,
            attempts=patience.tries,
            timeout=patience.retry_within,
            wait_initial=patience.first_wait,
            wait_jitter=patience.first_wait,
            wait_max=8.0,
        )
        try:
            async for attempt in attempts:
                outcome: list[_Answer | _TryAgain] = []
                with attempt:  # keeps what is raised within, until it is asked for the next try
                    try:
                        outcome.append(await self._ask(body, request))
                    except _TryAgain as error:
                        outcome.append(error)
                        raise
                match outcome:
                    case [_Answer() as answer]:
                        yield answer
                        return
                    case [_TryAgain() as failed] if attempt.num < patience.tries:
                        yield Retry(
                            attempt=attempt.num,
                            of=patience.tries,
                            error=type(failed.error).__name__,
                            message=str(failed.error),
                            wait=attempt.next_wait if failed.wait is None else failed.wait,
                        )
        except _TryAgain as last:
            raise last.error from None

    async def _ask(self, body: bytes, request: ModelRequest) -> _Answer:
        response = None
        try:
            async with asyncio.timeout(self._patience.first_byte):
                client, url = self._connected(), self.url(self._chosen(request))
                asked = client.build_request("POST", url, content=body)
                response = await client.send(asked, stream=True)
                if response.status_code != httpx.codes.OK:
                    raise await self._refusal(response, request)
                events = self._events(response)
                return _Answer(response, events, await anext(events, None))
        except BaseException as error:
            if response is not None:
                await response.aclose()
            if isinstance(error, AddressRefused):
                raise ProviderError(str(error)) from None
            if isinstance(error, httpx.HTTPError | TimeoutError):
                raise _TryAgain(self._trouble(error)) from None
            raise

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to their loop
            self._loop = loop
            headers = httpx.Headers({"Accept": "text/event-stream"} | self.headers())
            headers.update(self._extra)
            headers["Content-Type"] = "application/json"
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(self._patience.first_byte, connect=self._patience.connect),
                follow_redirects=False,
                trust_env=False,
                transport=self._transport,
            )
        return self._client

    async def _events(self, response: httpx.Response) -> AsyncIterator[bytes]:
        reader = self.reader()
        if isinstance(reader, EventReader) and "json" in response.headers.get("content-type", ""):
            yield (await _start_of(response)) or b"{}"
            return
        async for chunk in response.aiter_bytes():
            for data in reader.feed(chunk):
                yield data
        for data in reader.close():
            yield data

    async def _next(self, events: AsyncIterator[bytes], deadline: float) -> bytes | None:
        """The next event, in time; None at the end."""
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(min(now + self._patience.between, deadline)):
                return await anext(events, None)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._trouble(error, begun=True) from None

    def _trouble(
        self, error: httpx.HTTPError | TimeoutError, *, begun: bool = False
    ) -> ProviderError:
        """What went wrong on the way, in words."""
        if isinstance(error, TimeoutError | httpx.TimeoutException):
            if begun:
                return ProviderTimeout(f"{self._host} stopped in the middle of its answer.")
            return ProviderTimeout(f"{self._host} did not answer in time.")
        if begun:
            return ProviderError(f"The connection to {self._host} broke off during the answer.")
        return ProviderError(f"{self._host} cannot be reached: {type(error).__name__}.")

    async def _refusal(self, response: httpx.Response, request: ModelRequest) -> ProviderError:
        """What a status other than 200 means."""
        status = response.status_code
        headers = response.headers
        named = headers.get("x-request-id") or headers.get("request-id")
        request_id = said_in(named, self._key) if named else None
        text = _MEANINGS.get(status, f"answered with status {status}")
        names = {"key": self.variables.key, "address": self.variables.address}
        said = _vendor_words(await _start_of(response), self._key)
        message = f"{self._host} {text.format(model=self.model_of(request), **names)}."
        message += f" It says: {said}" if said else ""
        message += f" (request {request_id})" if request_id else ""
        error = ProviderError(message, status=status, request_id=request_id)
        if status in RETRIED:
            return _TryAgain(error, _asked_to_wait(headers))
        return error


_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade"})


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of a connection's own, none of which says how the request is sent."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _FRAMING:
            raise ValueError(f"{name!r} cannot be sent as a header: leave it out.")
        if not (value.isascii() and value.isprintable()):
            raise ValueError(f"The value of header {name!r} holds a character that none can carry.")
    return dict(headers)


async def _drain(events: AsyncIterator[bytes]) -> None:
    """Read the little that follows the end, so that the connection can be used again."""
    with suppress(httpx.HTTPError, TimeoutError, ProviderError):
        async with asyncio.timeout(0.5):
            await anext(events, None)


_MEANINGS = {
    400: "did not accept the request for model {model!r}",
    401: "refused the key: check {key}",
    403: "does not allow this: check {key} and what it may do",
    404: "knows no model {model!r}, or {address} is not its address",
    408: "took too long",
    413: "finds the conversation too long",
    429: "is asked too much at the moment, or the quota is used up",
    500: "has an error of its own (status 500)",
    502: "is not available (status 502)",
    503: "is not available (status 503)",
    504: "did not answer in time (status 504)",
    529: "is overloaded (status 529)",
}


def _wait_for(error: Exception) -> bool | float:
    """Whether to ask again, and how long to wait if the server said so."""
    if not isinstance(error, _TryAgain):
        return False
    return True if error.wait is None else error.wait


def _asked_to_wait(headers: httpx.Headers) -> float | None:
    """`retry-after-ms`, or `Retry-After` as seconds or a date (RFC 9110, 10.2.3)."""
    try:
        if given := headers.get("retry-after-ms"):
            return max(0.0, float(given) / 1000)
        given = headers.get("retry-after", "")
        if given.strip().replace(".", "", 1).isdigit():
            return float(given)
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


async def _start_of(response: httpx.Response) -> bytes:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= MAX_ERROR:
            break
    return body[:MAX_ERROR]


def _vendor_words(body: bytes, secret: str) -> str:
    try:
        found: Any = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(found, dict):
        return ""
    return said_in(found.get("error") or found, secret)


def _counted(piece: Piece, request: ModelRequest, said: int) -> Piece:
    """The end, with estimated tokens where the server did not count."""
    if not isinstance(piece, Finished) or piece.input_tokens or piece.output_tokens:
        return piece
    sent = estimate_tokens(request.system) + sum(message.tokens for message in request.messages)
    return msgspec.structs.replace(piece, input_tokens=sent, output_tokens=said // 4 + 1)
