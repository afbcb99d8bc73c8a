"""Id and client address of the current request, for log lines, events and audit entries.

A websocket counts as one request. Runs, jobs and commands have no request: their context is empty.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class RequestContext:
    """Identification of a request."""

    id: str = ""
    address: str = ""
    """Address of the client."""


_NONE = RequestContext()
_CURRENT: ContextVar[RequestContext] = ContextVar("request", default=_NONE)


def current_request() -> RequestContext:
    """Return the current request; it is empty outside of requests."""
    return _CURRENT.get()


def new_request_id() -> str:
    """Return a random id."""
    return secrets.token_hex(8)


@contextmanager
def in_request(context: RequestContext) -> Iterator[None]:
    """Use a request as the current one."""
    token = _CURRENT.set(context)
    try:
        yield
    finally:
        _CURRENT.reset(token)
