"""Recorder of an exchange with a vendor, verbatim except for secrets."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import httpx
import msgspec

from orchestration.network import REDACTED, Secrets, redact
from orchestration.providers.provider import ExchangeListener, WireExchange

MAX_KEPT = 64 * 1024
"""Maximum recorded bytes of each body: one half from the beginning, one from the end."""

WITHHELD = "[An answer that repeats a secret in pieces is not recorded.]"
"""Replacement for the body of an answer."""

_PRIVATE = frozenset({"cookie", "set-cookie", "proxy-authorization"})


class ExchangeRecorder:
    """Recorder of one exchange; calls the listener at its end."""

    def __init__(
        self,
        listener: ExchangeListener,
        request: httpx.Request,
        secrets: Secrets,
        private: Iterable[str],
    ) -> None:
        self._listener, self._request, self._secrets = listener, request, secrets
        self._private = _PRIVATE | {name.lower() for name in private}
        if request.url.userinfo:  # httpx sends it in this header
            self._private |= {"authorization"}
        self._began, self._at = perf_counter(), datetime.now(UTC)
        self._response: httpx.Response | None = None
        self._head, self._tail, self._size = bytearray(), bytearray(), 0
        self._first: int | None = None

    def record_response(self, response: httpx.Response) -> None:
        """Record the status and the headers of the answer."""
        self._response = response

    def record_chunk(self, chunk: bytes) -> None:
        """Record a chunk of the answer's body."""
        if self._first is None:
            self._first = self._elapsed()
        self._size += len(chunk)
        room = MAX_KEPT // 2 - len(self._head)
        self._head += chunk[:room]
        self._tail = (self._tail + chunk[room:])[-MAX_KEPT // 2 :]

    def end(self, error: str = "") -> None:
        """Pass the recorded exchange to the listener."""
        sent, omitted = _both_ends(self._request.content)
        received = self._text(bytes(self._head), bytes(self._tail), self._size)
        status = self._response.status_code if self._response is not None else None
        headers = self._response.headers if self._response is not None else httpx.Headers()
        left_out = omitted + max(0, self._size - len(self._head) - len(self._tail))
        exchange = WireExchange(
            at=self._at,
            url=str(self._request.url.copy_with(userinfo=b"")),
            sent_headers=_shown(self._request.headers, self._private),
            sent=sent,
            status=status,
            headers=_shown(headers, _PRIVATE),
            received=received,
            left_out=left_out,
            first_byte=self._first,
            milliseconds=self._elapsed(),
            error=error,
        )
        self._listener(redacted_exchange(exchange, self._secrets))

    def _elapsed(self) -> int:
        return round((perf_counter() - self._began) * 1000)

    def _text(self, head: bytes, tail: bytes, size: int) -> str:
        gap = size - len(head) - len(tail)
        parts = [head + tail] if gap <= 0 else [head, _gap(gap), tail]
        return _decoded(b"".join(parts))


def redacted_exchange(exchange: WireExchange, secrets: Secrets) -> WireExchange:
    """Return an exchange without secrets.

    An answer that repeats a secret in several pieces of its stream is withheld as a whole.
    """
    if not secrets:
        return exchange
    received = redact(exchange.received, secrets)
    texts = _joined_pieces(received)
    return msgspec.structs.replace(
        exchange,
        url=redact(exchange.url, secrets),
        sent_headers=_redacted_pairs(exchange.sent_headers, secrets),
        sent=redact(exchange.sent, secrets),
        headers=_redacted_pairs(exchange.headers, secrets),
        received=WITHHELD if any(redact(t, secrets) != t for t in texts) else received,
        error=redact(exchange.error, secrets),
    )


def _redacted_pairs(
    pairs: tuple[tuple[str, str], ...], secrets: Secrets
) -> tuple[tuple[str, str], ...]:
    return tuple((name, redact(value, secrets)) for name, value in pairs)


def _joined_pieces(body: str) -> list[str]:
    """Return the texts of a stream, joined from the pieces at the same place of its events."""
    texts: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for line in body.splitlines():
        try:
            event = json.loads(line.removeprefix("data:"))
        except (ValueError, RecursionError):
            continue
        for place, text in _texts(event):
            texts[place].append(text)
    return ["".join(pieces) for pieces in texts.values()]


def _texts(value: Any, place: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], str]]:
    """Yield each text of a JSON value with its place; the index of a part belongs to its place."""
    match value:
        case str():
            yield place, value
        case list():
            for item in value:
                yield from _texts(item, place)
        case dict():
            here = (*place, *(value.get(name) for name in _INDICES if name in value))
            for key, item in value.items():
                yield from _texts(item, (*here, key))


_INDICES = ("type", "index", "output_index")
"""Fields that distinguish the parts of an answer in a vendor's events."""


def _shown(headers: httpx.Headers, private: Collection[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, REDACTED if name.lower() in private else value)
        for name, value in headers.multi_items()
    )


def _both_ends(body: bytes) -> tuple[str, int]:
    """Return the beginning and the end of a body, and the number of bytes omitted between them."""
    gap = len(body) - MAX_KEPT
    if gap <= 0:
        return _decoded(body), 0
    half = MAX_KEPT // 2
    return _decoded(body[:half] + _gap(gap) + body[-half:]), gap


def _decoded(body: bytes) -> str:
    """Return the body as text that a database can store."""
    return body.decode(errors="replace").replace("\0", "\ufffd")


def _gap(size: int) -> bytes:
    return f"\n[… {size} bytes omitted …]\n".encode()
