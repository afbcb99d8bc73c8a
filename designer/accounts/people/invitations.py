"""Invitations: creation, revocation and use."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from designer.accounts.people.users import create_user
from designer.audit import record_audit
from designer.core import GoneError, RefusedError, atomic_action
from designer.models import AuditAction, Invitation, InvitationQuerySet, token_digest

TOKEN_BYTES = 32

MAX_OPEN = 200
"""Maximum number of open invitations."""

GONE = "This invitation is no longer valid: ask for another one."


@atomic_action
def create_invitation(*, by: User, role: str, email: str, days: int) -> str:
    """Create an invitation and return its token, which is not stored."""
    if Invitation.objects.open().count() >= MAX_OPEN:
        raise RefusedError(f"There are {MAX_OPEN} open invitations: revoke one first.")
    token, now = secrets.token_urlsafe(TOKEN_BYTES), timezone.now()
    invitation = Invitation(
        digest=token_digest(token),
        role=role,
        email=email,
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    invitation.full_clean()
    invitation.save()
    record_audit(
        AuditAction.INVITATION_CREATED,
        actor=by,
        target=str(invitation),
        detail=f"{role}, {email or 'no e-mail address'}, for {days} days",
    )
    return token


@atomic_action
def revoke_invitation(*, pk: int, by: User) -> None:
    """Revoke an invitation; a used one stays as it is."""
    rows = Invitation.objects.filter(pk=pk, accepted_at=None, revoked_at=None)
    if rows.update(revoked_at=timezone.now()):
        record_audit(AuditAction.INVITATION_REVOKED, actor=by, target=f"invitation {pk}")


def revoke_invitations_of(user: User, *, by: User) -> None:
    """Revoke the invitations of a person who is no longer an administrator."""
    rows = Invitation.objects.filter(created_by=user, accepted_at=None, revoked_at=None)
    for pk in rows.values_list("pk", flat=True):
        revoke_invitation(pk=pk, by=by)


@atomic_action
def accept_invitation(*, token: str, username: str, password: str) -> User:
    """Create the account of an invitation, which is used up."""
    rows = Invitation.objects.for_token(token)
    return use_invitation(rows, username=username, email="", password=password)


def use_invitation(
    rows: InvitationQuerySet, *, username: str, email: str, password: str | None
) -> User:
    """Create the account of the newest open invitation among rows. Call it in a transaction.

    The row is locked before it is read, so only one of two simultaneous requests creates an
    account. Without a password the person signs in elsewhere.
    """
    invitation = rows.open().select_for_update(of=("self",)).first()
    if invitation is None:
        raise GoneError(GONE)
    user = create_user(
        username=username,
        email=email or invitation.email,
        role=invitation.role,
        password=password,
        detail=f"with {invitation}",
        by_itself=True,
    )
    invitation.accepted_at, invitation.accepted_by = timezone.now(), user
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    return user
