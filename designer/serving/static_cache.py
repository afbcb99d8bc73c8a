"""Cache of static answers, which never change.

A page comes with dozens of style sheets and modules, each under a name that changes with its
content. Every one of them took a thread's time, the one in which all pages are made, and waited
there behind slow pages; now the event loop answers with what it answered before.
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

MAX_ANSWERS = 1_000
"""Maximum number of cached answers."""

MAKES_A_DIFFERENCE = {b"accept-encoding", b"host", b"x-forwarded-proto"}
"""The headers of a request that an answer may depend on."""

IS_ASKED_ANEW = {b"range", b"if-none-match", b"if-modified-since", b"if-range"}
"""The headers of a request that wants something else than the whole file."""


class StaticFileCache:
    """An ASGI application, and in front of it the static files that it has answered with.

    `prefix` is the path prefix of static files.
    """

    def __init__(self, application: Application, prefix: str, max_bytes: int = MAX_BYTES) -> None:
        self.application = application
        self._prefix = prefix
        self._cached: LRUCache[Key, list[Message]] = LRUCache(max_bytes, getsizeof=_size_of)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what is remembered, else as the application does."""
        key = self._key(scope)
        if key is None:
            await self.application(scope, receive, send)
            return
        if (answer := self._cached.get(key)) is not None:
            for message in answer:
                await send(message)
            return
        sent: list[Message] = []

        async def send_and_note(message: Message) -> None:
            sent.append(message)
            await send(message)

        await self.application(scope, receive, send_and_note)
        if _is_for_ever(sent):
            self._keep(key, sent)

    def _key(self, scope: Scope) -> Key | None:
        """Return the key of a request; None unless it is for a whole static file."""
        if scope["method"] != "GET" or not scope["path"].startswith(self._prefix):
            return None
        headers = scope["headers"]
        if scope.get("query_string") or any(name in IS_ASKED_ANEW for name, _ in headers):
            return None
        which = frozenset((name, value) for name, value in headers if name in MAKES_A_DIFFERENCE)
        return scope["path"], scope.get("scheme", ""), which

    def _keep(self, key: Key, answer: list[Message]) -> None:
        with suppress(ValueError):  # larger than the whole cache
            self._cached[key] = answer
        if len(self._cached) > MAX_ANSWERS:
            self._cached.popitem()


def _is_for_ever(answer: list[Message]) -> bool:
    """Report whether an answer is complete and may be cached forever."""
    if len(answer) < 2 or answer[-1].get("more_body") or answer[0].get("status") != 200:
        return False
    headers = {bytes(name).lower(): bytes(value) for name, value in answer[0]["headers"]}
    return b"immutable" in headers.get(b"cache-control", b"") and b"set-cookie" not in headers


def _size_of(answer: list[Message]) -> int:
    return sum(len(message.get("body", b"")) for message in answer)
