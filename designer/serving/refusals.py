"""Responses to requests that reach no view: signed out, or from an outdated page."""

from __future__ import annotations

import sys
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views import defaults
from django_htmx.http import reswap

from designer.core import HtmxHttpRequest, database_failure, returns_connections

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 401, 403, 404, 422

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Safe methods (RFC 9110, 9.2.1): the browser can return to their address."""

SIGNED_OUT = "You are signed out, so nothing was changed. Your text is kept."
OLD_PAGE = (
    "This page is older than your last sign-in, so nothing was changed. Reload it to continue; "
    "your text is kept."
)
NOT_FOUND_TEXT = (
    "This no longer exists: it was deleted, or is no longer shared with you. "
    "Your text is still here."
)
TOO_LARGE = (
    f"This is larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MiB, the limit of a "
    "request, so nothing was changed. Your text is kept: shorten it."
)


class SignInMiddleware(LoginRequiredMiddleware):
    """Ask users without a session to sign in.

    An open page stays and shows a message with a link to the sign-in page: htmx would follow a
    redirect and insert the sign-in form as the response. The text entered into a form is restored
    afterwards (static/js/core/unsaved-input.js).
    """

    def process_view(
        self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        """Return None for a signed-in user, otherwise a redirect or, for htmx, a 401."""
        response = super().process_view(request, view_func, view_args, view_kwargs)
        request = cast("HtmxHttpRequest", request)
        if response is None or (request.method in SAFE and not request.htmx):
            return response
        if request.htmx:
            back = request.htmx.current_url_abs_path or "/"
            sign_in = f"{reverse('sign_in')}?{urlencode({'next': back})}"
            return _notice_response(
                request, SIGNED_OUT, UNAUTHORIZED, link=sign_in, link_text="Sign in"
            )
        messages.warning(request, SIGNED_OUT)
        return redirect_to_login(_page_before(request))


class NotFoundMiddleware(MiddlewareMixin):
    """Explain a missing object on an open page."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return a message for htmx if the view raised a 404."""
        request = cast("HtmxHttpRequest", request)
        if not (isinstance(exception, Http404) and request.htmx):
            return None
        return _notice_response(
            request, NOT_FOUND_TEXT, NOT_FOUND, link="/", link_text="Show your pipelines"
        )


@returns_connections
def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for a forbidden action."""
    request = cast("HtmxHttpRequest", request)
    if request.htmx:
        return _notice_response(request, str(exception), FORBIDDEN)
    return render(request, "403.html", {"text": str(exception)}, status=FORBIDDEN)


@returns_connections
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for an unreadable request, usually one that is too large."""
    request = cast("HtmxHttpRequest", request)
    if isinstance(exception, RequestDataTooBig) and request.htmx:
        return _notice_response(request, TOO_LARGE, UNPROCESSABLE)
    return defaults.bad_request(request, exception)


@returns_connections
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for an unknown address."""
    return defaults.page_not_found(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Render the page for a wrong CSRF token, usually from a page older than the last sign-in."""
    request = cast("HtmxHttpRequest", request)
    if request.htmx:
        back = request.htmx.current_url_abs_path or "/"
        return _notice_response(request, OLD_PAGE, FORBIDDEN, link=back, link_text="Reload")
    return render(request, "403_csrf.html", {"back": _page_before(request)}, status=FORBIDDEN)


@returns_connections
def server_error(request: HttpRequest) -> HttpResponse:
    """Explain a busy, full, read-only or unreachable database; render the error page otherwise.

    The page needs no database. A page that stays open shows the text as a notice
    (static/js/core/notice.js).
    """
    failure = database_failure(sys.exc_info()[1])
    if failure is None:
        return defaults.server_error(request)
    if request.headers.get("HX-Request") or not request.accepts("text/html"):
        return HttpResponse(failure.text, status=failure.status, content_type="text/plain")
    context = {"problem": failure.problem, "text": failure.text}
    page = render_to_string("database_failure.html", context)
    return HttpResponse(page, status=failure.status)


def _notice_response(
    request: HtmxHttpRequest, text: str, status: int, *, link: str = "", link_text: str = ""
) -> HttpResponse:
    """Return a response that only shows a notice and swaps nothing else."""
    context = {"text": text, "link": link, "link_text": link_text, "oob": True}
    response = render(request, "components/_notice.html", context, status=status)
    return reswap(response, "none")


def _page_before(request: HttpRequest) -> str:
    """Return the path of the referring page if it belongs to this site, otherwise "/"."""
    referer = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(referer, {request.get_host()}):
        return "/"
    parts = urlsplit(referer)
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
