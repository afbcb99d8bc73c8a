"""Sign-in links: creation and use."""

import secrets

from django.contrib.auth.models import User
from django.utils import timezone

from designer.audit import record_audit
from designer.core import atomic_action
from designer.models import LINK_LIFETIME, AuditAction, SignInLink, token_digest

TOKEN_BYTES = 32


@atomic_action
def create_sign_in_link(*, user: User) -> str:
    """Create a link for `user` and return its token, which is not stored.

    All expired links are deleted.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    SignInLink.objects.filter(expires_at__lte=now).delete()
    link = SignInLink(
        digest=token_digest(token), user=user, created_at=now, expires_at=now + LINK_LIFETIME
    )
    link.full_clean()
    link.save()
    record_audit(AuditAction.SIGN_IN_LINK_CREATED, target=f"user {user.pk} “{user}”")
    return token


@atomic_action
def use_sign_in_link(*, token: str) -> User | None:
    """Mark the link with this token as used and return its user; None if it is not usable.

    The row is locked before it is read (SQLite locks with the transaction), so only one of two
    simultaneous requests signs in.
    """
    links = SignInLink.objects.for_token(token).usable().select_related("user")
    link = links.select_for_update(of=("self",)).first()
    if link is None:
        return None
    link.used_at = timezone.now()
    link.save(update_fields=["used_at"])
    return link.user
