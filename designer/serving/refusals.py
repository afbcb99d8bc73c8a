"""Responses to requests that reach no view: signed out, or from an outdated page."""

from __future__ import annotations

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
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views import defaults
from django_htmx.http import reswap

from designer.core import HtmxHttpRequest

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, UNPROCESSABLE = 401, 403, 404, 422

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods that only look (RFC 9110, 9.2.1): their address can be gone back to."""

SIGNED_OUT = "You are signed out, so this was not done. What you typed is kept."
OLD_PAGE = (
    "This page is older than your last sign-in, so this was not done. Load it anew to go on; "
    "what you typed is kept."
)
NOT_THERE = (
    "This is not there any more: it was deleted, or is not shared with you any longer. "
    "What you typed is still here."
)
TOO_LARGE = (
    f"This is larger than the {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MiB that can be sent "
    "at once, so it was not done. What you typed is kept: shorten it."
)


class SignInMiddleware(LoginRequiredMiddleware):
    """Sends who is not signed in to sign in.

    A page that is open already stays: a redirect would be followed behind its back, and the form
    for signing in be taken for the answer. It gets a sentence with a way to sign in and back. What
    was typed into a form of a whole page stands there again afterwards
    (static/js/core/unsaved-input.js).
    """

    def process_view(
        self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        """Nothing for who may go on; else a redirect (a form's is to its page), or for htmx 401."""
        refused = super().process_view(request, view_func, view_args, view_kwargs)
        request = cast("HtmxHttpRequest", request)
        if refused is None or (request.method in SAFE and not request.htmx):
            return refused
        if request.htmx:
            back = request.htmx.current_url_abs_path or "/"
            sign_in = f"{reverse('sign_in')}?{urlencode({'next': back})}"
            return _told(request, SIGNED_OUT, UNAUTHORIZED, link=sign_in, link_text="Sign in")
        messages.warning(request, SIGNED_OUT)
        return redirect_to_login(_page_before(request))


class NotFoundMiddleware(MiddlewareMixin):
    """Says on a page that is open what it means that something of it is not there."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The sentence, for htmx, where a view found nothing that this person may see."""
        request = cast("HtmxHttpRequest", request)
        if not (isinstance(exception, Http404) and request.htmx):
            return None
        return _told(request, NOT_THERE, NOT_FOUND, link="/", link_text="See your pipelines")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for a forbidden action."""
    request = cast("HtmxHttpRequest", request)
    if request.htmx:
        return _told(request, str(exception), FORBIDDEN)
    return render(request, "403.html", {"text": str(exception)}, status=FORBIDDEN)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for an unreadable request, usually one that is too large."""
    request = cast("HtmxHttpRequest", request)
    if isinstance(exception, RequestDataTooBig) and request.htmx:
        return _told(request, TOO_LARGE, UNPROCESSABLE)
    return defaults.bad_request(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token is not the browser's: most often the page is older than the last sign-in."""
    request = cast("HtmxHttpRequest", request)
    if request.htmx:
        back = request.htmx.current_url_abs_path or "/"
        return _told(request, OLD_PAGE, FORBIDDEN, link=back, link_text="Load it anew")
    return render(request, "403_csrf.html", {"back": _page_before(request)}, status=FORBIDDEN)


def _told(
    request: HtmxHttpRequest, text: str, status: int, *, link: str = "", link_text: str = ""
) -> HttpResponse:
    """A sentence in the notice, whatever the request was to swap."""
    context = {"text": text, "link": link, "link_text": link_text, "oob": True}
    response = render(request, "components/_notice.html", context, status=status)
    return reswap(response, "none")


def _page_before(request: HttpRequest) -> str:
    """The page with the form, if the browser says and it is ours; else the first one."""
    referer = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(referer, {request.get_host()}):
        return "/"
    parts = urlsplit(referer)
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
