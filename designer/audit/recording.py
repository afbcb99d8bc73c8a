"""Recording of audit entries."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from designer.core import atomic_action
from designer.instrumentation import current_request
from designer.models import MAX_ACTOR_NAME, MAX_AUDIT_TEXT, AuditAction, AuditEntry


@atomic_action
def record_audit(
    action: AuditAction,
    *,
    actor: User | None = None,
    actor_name: str = "",
    target: str = "",
    detail: str = "",
) -> None:
    """Record an action with the address and the id of the current request.

    Call it in the transaction of the change: both are stored, or neither. Without an actor it is a
    command of the operator. Entries older than BATON_AUDIT_DAYS are deleted.
    """
    now, request = timezone.now(), current_request()
    AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.AUDIT_DAYS)).delete()
    name = actor.get_username() if actor is not None else actor_name
    AuditEntry.objects.create(
        at=now,
        action=action.value,
        actor=actor,
        actor_name=_fitted(name, MAX_ACTOR_NAME),
        target=_fitted(target, MAX_AUDIT_TEXT),
        detail=_fitted(detail, MAX_AUDIT_TEXT),
        address=request.address,
        request_id=request.id,
    )


def _fitted(text: str, length: int) -> str:
    """Cut a text to the length of its field; PostgreSQL cannot store NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:length]
