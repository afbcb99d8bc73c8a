"""Links that let others read a conversation, or chat with it."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from designer.audit import record_audit
from designer.core import atomic_action
from designer.models import AuditAction, Conversation, ShareLink, token_digest

TOKEN_BYTES = 32
MAX_LINKS = 20


class TooManyLinksError(Exception):
    """A conversation has its maximum number of links."""

    def __init__(self) -> None:
        super().__init__(
            f"A conversation has at most {MAX_LINKS} links. Revoke one before you create another."
        )


@atomic_action
def create_share_link(
    *, conversation: Conversation, user: User, days: int | None = None, may_chat: bool = False
) -> str:
    """Create a link to a conversation and return its token, which is not stored.

    It expires after a number of days; None: it does not expire. With `may_chat` an AG-UI front end
    can send messages and decide about calls.
    """
    rows = Conversation.objects.without_definition().select_for_update()
    locked = rows.get(pk=conversation.pk)
    if locked.share_links.valid().count() >= MAX_LINKS:
        raise TooManyLinksError
    token = secrets.token_urlsafe(TOKEN_BYTES)
    expires = timezone.now() + timedelta(days=days) if days else None
    link = ShareLink(
        conversation=locked,
        token_hash=token_digest(token),
        created_by=user,
        expires=expires,
        may_chat=may_chat,
    )
    link.full_clean()
    link.save()
    record_audit(
        AuditAction.SHARE_LINK_CREATED,
        actor=user,
        target=_target(link),
        detail=(f"for {days} days" if days else "without an end") + (", chat" if may_chat else ""),
    )
    return token


@atomic_action
def revoke_share_link(*, link: ShareLink, by: User) -> None:
    """Revoke a link; its readers lose access."""
    if ShareLink.objects.filter(pk=link.pk, revoked=None).update(revoked=timezone.now()):
        record_audit(AuditAction.SHARE_LINK_REVOKED, actor=by, target=_target(link))


def _target(link: ShareLink) -> str:
    return f"link {link.pk} to conversation {link.conversation_id}"
