"""Ids of requests: in the response, in each log line, and with the events that a request causes."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from time import monotonic
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from designer.instrumentation import (
    RequestContext,
    client_address,
    in_request,
    new_request_id,
    socket_address,
)
from designer.monitoring.metrics import REQUESTS

log = logging.getLogger("designer.requests")

HEADER = "X-Request-ID"

ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
"""Form of an id that a proxy may choose."""


@sync_and_async_middleware
def request_id_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[..., Any]:
    """Give each request an id, send it in `X-Request-ID`, and log the request.

    With a trusted proxy its `X-Request-ID` is used; the header of a client would be forged. The log
    line (level INFO, switched on by BATON_LOG_REQUESTS) contains the pattern of the address,
    because an address may contain the token of a link.
    """
    if iscoroutinefunction(get_response):
        get_async = cast("Callable[[HttpRequest], Awaitable[HttpResponseBase]]", get_response)

        async def middleware_async(request: HttpRequest) -> HttpResponseBase:
            start, context = monotonic(), _context(request)
            with in_request(context):
                return _finish(request, await get_async(request), context, start)

        return middleware_async

    def middleware(request: HttpRequest) -> HttpResponseBase:
        start, context = monotonic(), _context(request)
        with in_request(context):
            return _finish(request, get_response(request), context, start)

    return middleware


class SocketRequestIds:
    """ASGI middleware that gives each websocket an id, as if it were one request."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the websocket with its id."""
        headers = [
            value.decode("latin1")
            for name, value in scope.get("headers", [])
            if name == HEADER.lower().encode()
        ]
        context = RequestContext(_id(headers[0] if headers else ""), socket_address(scope))
        with in_request(context):
            await self.application(scope, receive, send)


def _context(request: HttpRequest) -> RequestContext:
    return RequestContext(_id(request.headers.get(HEADER, "")), client_address(request))


def _id(sent: str) -> str:
    is_trusted = settings.TRUSTED_PROXIES and ID.fullmatch(sent)
    return sent if is_trusted else new_request_id()


def _finish(
    request: HttpRequest, response: HttpResponseBase, context: RequestContext, start: float
) -> HttpResponseBase:
    response[HEADER] = context.id
    REQUESTS.labels(f"{response.status_code // 100}xx").observe(monotonic() - start)
    if log.isEnabledFor(logging.INFO):
        match = request.resolver_match
        values = {
            "method": request.method,
            "route": f"/{match.route}" if match else "-",
            "pk": (match.kwargs.get("pk") if match else None),
            "status": response.status_code,
            "milliseconds": round((monotonic() - start) * 1000),
        }
        log.info("%(method)s %(route)s %(status)s in %(milliseconds)s ms", values, extra=values)
    return response
