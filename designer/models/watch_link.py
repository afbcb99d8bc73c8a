"""Share links for viewing a conversation."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.conversation import Conversation


class WatchLink(models.Model):
    """A link for view-only access to a conversation.

    Only the hash of the token is stored, so a copy of the database is useless.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="watch_links"
    )
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="watch_links"
    )
    created = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True, blank=True)
    """Time of revocation; None while the link is valid."""

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"watch link {self.pk}"
