"""Base of all vendors' clients: one request, its retries and one stream, over httpx.

It asks again only before the first piece of an answer was shown, unless the agent says otherwise.
Redirects and proxies of the environment are off, and the key stands in no error, no `repr`, no
event and no log.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx
import stamina

from orchestration.exceptions import ProviderError
from orchestration.network import Secrets, can_carry, may_be_set, secrets_of
from orchestration.providers.errors import RequestTarget, place_of
from orchestration.providers.provider import ModelRequest, Piece, Retry, TextPiece
from orchestration.providers.request import Asking
from orchestration.providers.retry_policy import Patience
from orchestration.providers.sse import Decoder, EventReader, StreamParser

__all__ = ["Catalogue", "Patience", "Variables", "VendorClient"]


@dataclass(frozen=True, slots=True)
class Variables:
    """The environment's names for a provider's settings."""

    key: str
    address: str
    model: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A vendor's list of models: its address and format, one page at a time."""

    path: str
    """Path below the base address."""
    names: Callable[[Mapping[str, Any]], Iterable[Any]]
    """Return the names of a page."""
    following: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _: {}
    """Return the query of the next page; empty without one."""
    query: Mapping[str, str] | None = None
    """Query of the first page."""


class VendorClient(ABC):
    """A client of one vendor's API: what is said to whom is the subclass's, how it is sent is not.

    `model` is asked where an agent names none. `headers` go along with every request, over the
    vendor's own of the same name; neither they nor `api_key` stand in any error, `repr` or event.
    """

    name: str
    """Name of the provider for agents and events."""
    variables: Variables
    """Names of its settings, for error messages."""
    catalogue = Catalogue("/models", lambda page: (one.get("id") for one in page.get("data", ())))
    """The list of models: OpenAI's format unless the vendor differs."""

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
        self._host = place_of(base_url) or base_url
        if not can_carry(api_key):
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
        """Return the address of a model."""

    @abstractmethod
    def encode(self, request: ModelRequest, model: str) -> bytes:
        """The body of a streaming request, as JSON."""

    @abstractmethod
    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of one stream's events."""

    def reader(self) -> StreamParser:
        """Return the parser of a stream: server-sent events unless the vendor differs."""
        return EventReader()

    def headers(self) -> dict[str, str]:
        """Return the additional headers of every request, such as the key."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    # A provider

    @property
    def secrets(self) -> Secrets:
        """Return the values that must not appear in errors and logs."""
        return secrets_of(self._key, self._extra.values())

    def model_of(self, request: ModelRequest) -> str:
        """The agent's model, else the provider's."""
        return request.model or self._model

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None  # who asks meanwhile gets another
        if client is not None:
            await client.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Ask, and give the answer as it comes."""
        patience = self._patience.towards(request.agent)
        asking = self._asking(request, self._chosen(request), patience)
        loop = asyncio.get_running_loop()
        began, shown = loop.time(), False
        attempts = stamina.retry_context(
            on=_wait_for,
            attempts=patience.tries,
            timeout=None,  # is looked after below
            wait_initial=patience.first_wait,
            wait_jitter=patience.first_wait,
            wait_max=patience.longest_wait,
        )
        async for attempt in attempts:
            try:
                async with aclosing(asking.pieces(began + patience.turn)) as pieces:
                    async for piece in pieces:
                        shown = shown or isinstance(piece, TextPiece)
                        yield piece
                    return
            except ProviderError as error:
                failed = error
            wait = attempt.next_wait if failed.wait is None else failed.wait
            late = loop.time() - began + wait > min(patience.retry_within, patience.turn)
            barred = shown and not request.agent.retry_shown
            if not failed.transient or barred or late or attempt.num >= patience.tries:
                raise _at_last(failed, attempt.num, late and not barred)
            _note(attempt, failed)
            yield Retry(
                attempt=attempt.num,
                of=patience.tries,
                error=type(failed).__name__,
                message=str(failed),
                wait=wait,
                shown=shown,
            )
            shown = False

    def _chosen(self, request: ModelRequest) -> str:
        model = self.model_of(request)
        if not model:
            variable = self.variables.model
            raise ProviderError(
                f"No model is named: set {variable}, or name one on agent {request.agent.id!r}."
            )
        return model

    def _asking(self, request: ModelRequest, model: str, patience: Patience) -> Asking:
        variables = self.variables
        return Asking(
            request,
            client=self._connected(),
            url=self.url(model),
            body=self.encode(request, model),
            decoder=lambda: self.decoder(request, model),
            reader=self.reader,
            patience=patience,
            asked=RequestTarget(self._host, model, variables.key, variables.address),
            secrets=self.secrets,
            private=self._extra,
        )

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to their loop
            self._loop = loop
            headers = httpx.Headers({"Accept": "text/event-stream"} | self.headers())
            headers.update(self._extra)
            headers["Content-Type"] = "application/json"
            waits = max(self._patience.first_byte, self._patience.between)
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(waits, connect=self._patience.connect),
                follow_redirects=False,
                trust_env=False,
                transport=self._transport,
            )
        return self._client


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of a connection's own, none of which says how the request is sent."""
    for name, value in headers.items():
        if not may_be_set(name):
            raise ValueError(f"{name!r} cannot be sent as a header: leave it out.")
        if not can_carry(value):
            raise ValueError(f"The value of header {name!r} holds a character that none can carry.")
    return dict(headers)


def _wait_for(error: Exception) -> bool | float:
    """Report whether to retry; a number is the wait in seconds that the server asked for."""
    if not isinstance(error, ProviderError):
        return False
    return True if error.wait is None else error.wait


def _note(attempt: stamina.Attempt, error: ProviderError) -> None:
    with attempt:  # keeps what is raised within, until it is asked for the next try
        raise error


def _at_last(error: ProviderError, tries: int, late: bool) -> ProviderError:
    """The error that ends the turn, with what was done about it."""
    if late and error.transient and error.wait:
        return _same(error, f"It asks to wait {error.wait:g} s, which is too long for a turn.")
    return _same(error, f"It was asked {tries} times.") if tries > 1 else error


def _same(error: ProviderError, more: str) -> ProviderError:
    said = str(error).removesuffix(f" (request {error.request_id})")
    return error.again(f"{said} {more}", request_id=error.request_id)
