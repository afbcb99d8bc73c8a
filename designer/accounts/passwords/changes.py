"""Change of a password."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from designer.audit import record_audit
from designer.core import atomic_action, notify_signed_out
from designer.models import AuditAction, SignInLink


@atomic_action
def set_password(*, user: User, password: str, actor: User | None, detail: str) -> None:
    """Store a new password. All sessions and sign-in links of the user end with the old one.

    The caller keeps the session of the person who changes an own password.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    finish_password_change(user=user, actor=actor, detail=detail)


@atomic_action
def finish_password_change(*, user: User, actor: User | None, detail: str) -> None:
    """Record that a password was stored, and end the sessions and sign-in links before it."""
    SignInLink.objects.filter(user=user).delete()
    record_audit(
        AuditAction.PASSWORD_CHANGED, actor=actor, target=f"user {user.pk} “{user}”", detail=detail
    )
    transaction.on_commit(partial(notify_signed_out, user.pk))
