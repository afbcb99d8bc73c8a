"""Share links of a conversation."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from designer.models.conversation import Conversation


class ShareLinkQuerySet(models.QuerySet["ShareLink"]):
    """Queries for share links."""

    def valid(self) -> Self:
        """Return the links that are not revoked and have not expired."""
        return self.filter(Q(expires=None) | Q(expires__gt=timezone.now()), revoked=None)


class ShareLink(models.Model):
    """A link to a conversation, for viewing only or also for chat.

    Only the hash of the token is stored, so a copy of the database is useless.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="share_links"
    )
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="share_links"
    )
    may_chat = models.BooleanField(default=False)
    """True if its holder may send messages and decide about calls, as an AG-UI front end."""
    created = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True, blank=True)
    """Time of revocation; None if it was not revoked."""
    expires = models.DateTimeField(null=True, blank=True)
    """Time from which the link no longer works; None if it does not expire."""

    objects = ShareLinkQuerySet.as_manager()

    class Meta:
        db_table = "designer_watchlink"  # an earlier name; a rename would stop running servers
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"share link {self.pk}"

    @property
    def has_expired(self) -> bool:
        """True if the expiry date has passed."""
        return self.expires is not None and self.expires <= timezone.now()
