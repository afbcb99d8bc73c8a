"""Receivers of Django's signals for sign-ins: every way to sign in sends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from designer.audit.recording import record_audit
from designer.models import AuditAction

METHODS = {
    "sign_in": "password",
    "sign_in_by_link": "sign-in link",
    "accept_invitation": "invitation",
    "openid_callback": "OpenID Connect",
}
"""Methods of signing in by the name of their address."""


def record_sign_in(*, request: HttpRequest | None, user: User, **_: object) -> None:
    """Record a sign-in and its method."""
    record_audit(AuditAction.SIGNED_IN, actor=user, detail=_method(request))


def record_failed_sign_in(
    *, credentials: Mapping[str, Any], request: HttpRequest | None = None, **_: object
) -> None:
    """Record a failed sign-in with the name that was entered.

    Attempts beyond the limit of failures are not recorded: they would fill the table.
    """
    name = str(credentials.get("username", ""))
    record_audit(AuditAction.SIGN_IN_FAILED, actor_name=name, detail=_method(request))


def record_sign_out(*, request: HttpRequest, user: User | None, **_: object) -> None:
    """Record a sign-out of a signed-in user."""
    if user is not None:
        record_audit(AuditAction.SIGNED_OUT, actor=user)


def _method(request: HttpRequest | None) -> str:
    match = request.resolver_match if request is not None else None
    name = match.url_name or "" if match is not None else ""
    return METHODS.get(name, name)
