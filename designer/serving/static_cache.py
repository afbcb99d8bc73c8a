"""Cache of responses for immutable static files.

A page loads dozens of style sheets and modules with hashed names. Without the cache each of them
waits for the thread that renders the pages; with it the event loop answers directly.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from cachetools import LRUCache

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Key = tuple[str, str, frozenset[tuple[bytes, bytes]]]

MAX_BYTES = 8 * 2**20
"""Maximum size of the cache in bytes: several times all files of Baton."""

MAX_RESPONSES = 1_000
"""Maximum number of cached responses."""

VARYING_HEADERS = {b"accept-encoding", b"host", b"x-forwarded-proto"}
"""Request headers on which a response may depend."""

CONDITIONAL_HEADERS = {b"range", b"if-none-match", b"if-modified-since", b"if-range"}
"""Request headers for partial or conditional responses."""


class StaticFileCache:
    """ASGI middleware that caches the static files of an application.

    `prefix` is the path prefix of static files.
    """

    def __init__(self, application: Application, prefix: str, max_bytes: int = MAX_BYTES) -> None:
        self.application = application
        self._prefix = prefix
        self._cached: LRUCache[Key, list[Message]] = LRUCache(max_bytes, getsizeof=_size_of)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the cached response, or call the application and cache its response."""
        key = self._key(scope)
        if key is None:
            await self.application(scope, receive, send)
            return
        if (response := self._cached.get(key)) is not None:
            for message in response:
                await send(message)
            return
        messages: list[Message] = []

        async def send_and_record(message: Message) -> None:
            messages.append(message)
            await send(message)

        await self.application(scope, receive, send_and_record)
        if _is_immutable(messages):
            self._store(key, messages)

    def _key(self, scope: Scope) -> Key | None:
        """Return the key of a request; None unless it is for a whole static file."""
        if scope["method"] != "GET" or not scope["path"].startswith(self._prefix):
            return None
        headers = scope["headers"]
        if scope.get("query_string") or any(name in CONDITIONAL_HEADERS for name, _ in headers):
            return None
        varying = frozenset((name, value) for name, value in headers if name in VARYING_HEADERS)
        return scope["path"], scope.get("scheme", ""), varying

    def _store(self, key: Key, response: list[Message]) -> None:
        with suppress(ValueError):  # larger than the whole cache
            self._cached[key] = response
        if len(self._cached) > MAX_RESPONSES:
            self._cached.popitem()


def _is_immutable(response: list[Message]) -> bool:
    """Report whether a response is complete and immutable."""
    if len(response) < 2 or response[-1].get("more_body") or response[0].get("status") != 200:
        return False
    headers = {bytes(name).lower(): bytes(value) for name, value in response[0]["headers"]}
    return b"immutable" in headers.get(b"cache-control", b"") and b"set-cookie" not in headers


def _size_of(response: list[Message]) -> int:
    return sum(len(message.get("body", b"")) for message in response)
