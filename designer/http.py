"""Requests, and what they may see: every view's look-ups go through here.

What belongs to someone else answers 404, as what is not there does.
"""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django_htmx.middleware import HtmxDetails

from designer.models import Conversation, Pipeline


class HtmxHttpRequest(HttpRequest):
    """A signed-in request, with what htmx says about itself."""

    htmx: HtmxDetails
    user: User


def get_pipeline(request: HtmxHttpRequest, pk: int) -> Pipeline:
    """The pipeline, if the person may open it; otherwise 404."""
    rows = Pipeline.objects.of(request.user).select_related("entry", "default_agent", "supervisor")
    return get_object_or_404(rows, pk=pk)


def posted_key(request: HtmxHttpRequest, name: str) -> str:
    """The key of what a form is about; empty, which is nobody's key, where it cannot be one.

    U+0000 stands in no key, and PostgreSQL takes it for none: asked for it, it fails.
    """
    key = request.POST.get(name, "")
    return "" if "\x00" in key else key


def get_conversation(request: HtmxHttpRequest, pk: int) -> Conversation:
    """The conversation, if the person may open its pipeline; otherwise 404."""
    rows = Conversation.objects.of(request.user).select_related("pipeline")
    return get_object_or_404(rows, pk=pk)


def conversation_of_session(session_key: str | None, pk: int) -> Conversation | None:
    """The conversation, if a session is still somebody's who may open it: for sockets.

    A socket outlives the request that opened it, so its session is read anew every time.
    """
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    if not user.is_authenticated:
        return None
    return Conversation.objects.of(user).without_definition().filter(pk=pk).first()
