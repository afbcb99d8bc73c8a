"""Cache policy of pages: browsers and proxies store no page, only static files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.decorators import sync_and_async_middleware


@sync_and_async_middleware
def no_store_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[..., Any]:
    """Forbid storing of responses: pages must not be readable after their user has signed out.

    Static files are served before this middleware and may be stored.
    """
    if iscoroutinefunction(get_response):
        get_async = cast("Callable[[HttpRequest], Awaitable[HttpResponseBase]]", get_response)

        async def middleware_async(request: HttpRequest) -> HttpResponseBase:
            return _with_policy(await get_async(request))

        return middleware_async

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return _with_policy(get_response(request))

    return middleware


def _with_policy(response: HttpResponseBase) -> HttpResponseBase:
    patch_cache_control(response, no_store=True, private=True)
    return response
