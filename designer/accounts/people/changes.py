"""Changes of accounts by administrators: state, role and links for a new password."""

from __future__ import annotations

from functools import partial

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from designer.accounts.people.invitations import revoke_invitations_of
from designer.accounts.people.users import apply_role, role_of, user_target
from designer.audit import record_audit
from designer.core import RefusedError, atomic_action, notify_signed_out
from designer.models import AccountRole, AuditAction, SignInLink

LAST = "“{}” is the last active administrator: make another person an administrator first."


@atomic_action
def deactivate_user(*, user_id: int, by: User) -> User:
    """Sign a user out for good and refuse further sign-ins. Pipelines and their shares stay."""
    user = _lock_with_administrators(user_id)
    if not user.is_active:
        return user
    _keep_an_administrator(user)
    user.is_active = False
    user.save(update_fields=["is_active"])
    _end_sessions(user)
    SignInLink.objects.filter(user=user).delete()
    revoke_invitations_of(user, by=by)
    record_audit(AuditAction.USER_DEACTIVATED, actor=by, target=user_target(user))
    transaction.on_commit(partial(notify_signed_out, user.pk))
    return user


@atomic_action
def activate_user(*, user_id: int, by: User) -> User:
    """Let a deactivated user sign in again."""
    user = _lock_with_administrators(user_id)
    if not user.is_active:
        user.is_active = True
        user.save(update_fields=["is_active"])
        record_audit(AuditAction.USER_ACTIVATED, actor=by, target=user_target(user))
    return user


@atomic_action
def change_role(*, user_id: int, role: str, by: User) -> User:
    """Make a user an administrator, or an administrator a user."""
    user = _lock_with_administrators(user_id)
    old = role_of(user)
    if old == role and user.is_staff == user.is_superuser:
        return user
    if role != AccountRole.ADMINISTRATOR:
        _keep_an_administrator(user)
        revoke_invitations_of(user, by=by)
    apply_role(user, role)
    user.save(update_fields=["is_staff", "is_superuser"])
    detail = f"{role}, was {old.value}"
    record_audit(AuditAction.ROLE_CHANGED, actor=by, target=user_target(user), detail=detail)
    return user


@atomic_action
def create_reset_link(*, user: User, by: User) -> list[str]:
    """Return the parts of a link for a new password, for an administrator to hand over."""
    if not user.is_active:
        raise RefusedError(f"“{user}” is deactivated: activate the account first.")
    record_audit(AuditAction.RESET_LINK_CREATED, actor=by, target=user_target(user))
    return [
        urlsafe_base64_encode(force_bytes(user.pk)),
        default_token_generator.make_token(user),
    ]


def _lock_with_administrators(user_id: int) -> User:
    """Lock the rows of the administrators and of a user, so that two changes cannot overlap."""
    rows = User.objects.select_for_update().order_by("pk")
    list(rows.filter(is_superuser=True))
    return rows.get(pk=user_id)


def _keep_an_administrator(user: User) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and user.is_active and not others.exists():
        raise RefusedError(LAST.format(user))


def _end_sessions(user: User) -> None:
    """Delete the sessions of a user, which would otherwise continue after an activation."""
    rows = Session.objects.filter(expire_date__gt=timezone.now())
    keys = [
        session.session_key
        for session in rows.iterator(chunk_size=500)
        if session.get_decoded().get(SESSION_KEY) == str(user.pk)
    ]
    Session.objects.filter(session_key__in=keys).delete()
