"""Answers to probes and scrapes: /health/live, /health/ready and /metrics.

They are answered before the other middleware: a probe calls a server by its own address, which is
in no list of hosts, without TLS and without a session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare
from django.utils.decorators import sync_and_async_middleware

from designer.core import in_database
from designer.monitoring.health import check_readiness
from designer.monitoring.metrics import CONTENT_TYPE, exposition

SAFE = ("GET", "HEAD")


@sync_and_async_middleware
def probe_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[..., Any]:
    """Answer probes; pass every other request on."""
    if iscoroutinefunction(get_response):
        get_async = cast("Callable[[HttpRequest], Awaitable[HttpResponseBase]]", get_response)

        async def middleware_async(request: HttpRequest) -> HttpResponseBase:
            if (probe := PROBES.get(request.path)) is not None:
                return await _answer(request, probe)
            return await get_async(request)

        return middleware_async

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if (probe := PROBES.get(request.path)) is not None:
            return async_to_sync(_answer)(request, probe)
        return cast("HttpResponseBase", get_response(request))

    return middleware


async def live(request: HttpRequest) -> HttpResponse:
    """Answer that the process runs; a failure means: restart it."""
    return HttpResponse("ok", content_type="text/plain")


async def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the server can serve; else 503, which means: send it no requests."""
    if (refusal := refuse_without_token(request.headers.get("Authorization", ""))) is not None:
        return _refusal(*refusal)
    results = await check_readiness()
    is_ready = all(result.is_ok for result in results)
    body = {
        "status": "ready" if is_ready else "not ready",
        "checks": {result.name: {"ok": result.is_ok, "text": result.text} for result in results},
    }
    return JsonResponse(body, status=200 if is_ready else 503)


async def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of this process for Prometheus."""
    if (refusal := refuse_without_token(request.headers.get("Authorization", ""))) is not None:
        return _refusal(*refusal)
    return HttpResponse(await in_database(exposition), content_type=CONTENT_TYPE)


def refuse_without_token(authorization: str) -> tuple[int, str] | None:
    """Return status and text for a request without the token; None if it has the token.

    Every client needs it: behind a proxy of this machine all requests come from loopback.
    """
    if not settings.METRICS_TOKEN:
        return 403, "Set BATON_METRICS_TOKEN on the server to use this address."
    if not constant_time_compare(authorization, f"Bearer {settings.METRICS_TOKEN}"):
        return 401, "Send the header `Authorization: Bearer` with the token of this server."
    return None


Probe = Callable[[HttpRequest], Awaitable[HttpResponse]]

PROBES: dict[str, Probe] = {
    "/health/live": live,
    "/health/ready": ready,
    "/metrics": metrics,
}


async def _answer(request: HttpRequest, probe: Probe) -> HttpResponse:
    if request.method not in SAFE:
        response = HttpResponse(status=405, headers={"Allow": ", ".join(SAFE)})
    else:
        response = await probe(request)
    response["Cache-Control"] = "no-store"
    return response


def _refusal(status: int, text: str) -> HttpResponse:
    response = HttpResponse(f"{text}\n", status=status, content_type="text/plain")
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="monitoring"'
    return response
