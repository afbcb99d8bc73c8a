"""Base class of the vendors' clients: one request, its retries and its stream, over httpx.

A client retries only before the first text of an answer was shown, unless the agent allows more.
Redirects and proxies of the environment are disabled, and the key never appears in errors, `repr`,
events and logs.
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
from orchestration.network import (
    Secrets,
    is_allowed_header,
    is_header_value,
    secrets_of,
    tls_context,
)
from orchestration.providers.errors import RequestTarget, host_of
from orchestration.providers.provider import ModelRequest, Piece, Retry, TextPiece
from orchestration.providers.request import VendorRequest
from orchestration.providers.retry_policy import RetryPolicy
from orchestration.providers.sse import Decoder, EventReader, StreamParser

__all__ = ["ModelListFormat", "RetryPolicy", "SettingNames", "VendorClient"]


@dataclass(frozen=True, slots=True)
class SettingNames:
    """Names of a provider's settings, for error messages."""

    key: str
    address: str
    model: str


@dataclass(frozen=True, slots=True)
class ModelListFormat:
    """Address and page format of a vendor's list of models."""

    path: str
    """Path below the base address."""
    names: Callable[[Mapping[str, Any]], Iterable[Any]]
    """Return the names of a page."""
    following: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _: {}
    """Return the query of the next page; empty without one."""
    query: Mapping[str, str] | None = None
    """Query of the first page."""


class VendorClient(ABC):
    """A client of one vendor's API. Subclasses encode and decode; this class sends and retries.

    `model` is the default for agents without one. `headers` are added to every request and
    override the vendor's; neither they nor `api_key` appear in errors, `repr` or events.
    """

    name: str
    """Name of the provider for agents and events."""
    setting_names: SettingNames
    """Names of the settings, for error messages."""
    model_list = ModelListFormat(
        "/models", lambda page: (model.get("id") for model in page.get("data", ()))
    )
    """Format of the list of models: OpenAI's unless the vendor differs."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str = "",
        model: str = "",
        retry_policy: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._host = host_of(base_url) or base_url
        if not is_header_value(api_key):
            raise ValueError(
                "The API key contains an invalid character: remove line breaks and other "
                "characters that were copied with it."
            )
        self._key, self._model = api_key, model
        self._extra = _checked(headers or {})
        self.secrets: Secrets = secrets_of(api_key, self._extra, url=base_url)
        """Values that must not appear in answers, errors and logs."""
        self._retry_policy = retry_policy or RetryPolicy()
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._host!r}, model={self._model!r})"

    # Differences between vendors

    @abstractmethod
    def url(self, model: str) -> str:
        """Return the address of a model's requests."""

    @abstractmethod
    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Return the body of a streaming request, as JSON."""

    @abstractmethod
    def decoder(self, request: ModelRequest, model: str) -> Decoder:
        """Return the decoder of one stream's events."""

    def reader(self) -> StreamParser:
        """Return the parser of a stream: server-sent events unless the vendor differs."""
        return EventReader()

    def headers(self) -> dict[str, str]:
        """Return the additional headers of every request, such as the key."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    # Provider protocol

    def model_of(self, request: ModelRequest) -> str:
        """Return the agent's model, else the provider's."""
        return request.model or self._model

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None  # a request during the close opens a new client
        if client is not None:
            await client.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Send the request; yield the answer and its retries."""
        retry_policy = self._retry_policy.for_agent(request.agent)
        vendor_request = self._vendor_request(request, self._chosen(request), retry_policy)
        loop = asyncio.get_running_loop()
        began, shown = loop.time(), False
        attempts = stamina.retry_context(
            on=_wait_for,
            attempts=retry_policy.tries,
            timeout=None,  # checked below
            wait_initial=retry_policy.first_wait,
            wait_jitter=retry_policy.first_wait,
            wait_max=retry_policy.longest_wait,
        )
        async for attempt in attempts:
            try:
                async with aclosing(vendor_request.pieces(began + retry_policy.turn)) as pieces:
                    async for piece in pieces:
                        shown = shown or isinstance(piece, TextPiece)
                        yield piece
                    return
            except ProviderError as error:
                failed = error
            wait = attempt.next_wait if failed.wait is None else failed.wait
            late = loop.time() - began + wait > min(retry_policy.retry_within, retry_policy.turn)
            text_shown = shown and not request.agent.retry_shown
            if not failed.transient or text_shown or late or attempt.num >= retry_policy.tries:
                raise _final_error(failed, attempt.num, late and not text_shown)
            _note(attempt, failed)
            yield Retry(
                attempt=attempt.num,
                of=retry_policy.tries,
                error=type(failed).__name__,
                message=str(failed),
                wait=wait,
                shown=shown,
            )
            shown = False

    def _chosen(self, request: ModelRequest) -> str:
        model = self.model_of(request)
        if not model:
            raise ProviderError(
                f"Agent {request.agent.id!r} has no model: set {self.setting_names.model}, "
                "or choose a model for the agent."
            )
        return model

    def _vendor_request(
        self, request: ModelRequest, model: str, retry_policy: RetryPolicy
    ) -> VendorRequest:
        setting_names = self.setting_names
        return VendorRequest(
            request,
            client=self._connected(),
            url=self.url(model),
            body=self.encode(request, model),
            decoder=lambda: self.decoder(request, model),
            reader=self.reader,
            retry_policy=retry_policy,
            target=RequestTarget(self._host, model, setting_names.key, setting_names.address),
            secrets=self.secrets,
            private=self._extra,
        )

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to one loop
            self._loop = loop
            headers = httpx.Headers({"Accept": "text/event-stream"} | self.headers())
            headers.update(self._extra)
            headers["Content-Type"] = "application/json"
            waits = max(self._retry_policy.first_byte, self._retry_policy.between)
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(waits, connect=self._retry_policy.connect),
                follow_redirects=False,
                trust_env=False,
                verify=tls_context(),
                transport=self._transport,
            )
        return self._client


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    """Check that a connection's headers do not change the transport of a request."""
    for name, value in headers.items():
        if not is_allowed_header(name):
            raise ValueError(f"{name!r} cannot be set as a header: remove it.")
        if not is_header_value(value):
            raise ValueError(
                f"The value of header {name!r} contains an invalid character: remove it."
            )
    return dict(headers)


def _wait_for(error: Exception) -> bool | float:
    """Report whether to retry; a number is the wait in seconds requested by the server."""
    if not isinstance(error, ProviderError):
        return False
    return True if error.wait is None else error.wait


def _note(attempt: stamina.Attempt, error: ProviderError) -> None:
    with attempt:  # stamina takes the error from here
        raise error


def _final_error(error: ProviderError, tries: int, late: bool) -> ProviderError:
    """Return the error that ends the turn, with the number of attempts."""
    if late and error.transient and error.wait:
        return _with_sentence(
            error, f"The server requests a wait of {error.wait:g} s, which is too long for a turn."
        )
    return _with_sentence(error, f"All {tries} attempts failed.") if tries > 1 else error


def _with_sentence(error: ProviderError, sentence: str) -> ProviderError:
    message = str(error).removesuffix(f" (request {error.request_id})")
    return error.with_message(f"{message} {sentence}", request_id=error.request_id)
