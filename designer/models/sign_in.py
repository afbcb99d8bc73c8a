"""One-time sign-in links, which need no password, and counters of failed sign-ins."""

import hashlib
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

LINK_LIFETIME = timedelta(hours=24)


class SignInLinkQuerySet(models.QuerySet["SignInLink"]):
    """Queries for sign-in links."""

    def usable(self) -> Self:
        """Return the links that are unused, not expired, and belong to an active user."""
        return self.filter(used_at=None, expires_at__gt=timezone.now(), user__is_active=True)

    def for_token(self, token: str) -> Self:
        """Return the link with this token, if there is one."""
        return self.filter(digest=token_digest(token))


class SignInLink(models.Model):
    """A sign-in link. Only the digest of its token is stored."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_links"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects = SignInLinkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")),
                name="sign_in_link_expires_after_its_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"


class SignInCounter(models.Model):
    """Number of failed sign-ins of a name from an address, or from an address."""

    key = models.CharField(max_length=64, unique=True)
    """SHA-256 digest of the address, with the name if it is counted for a name."""
    count = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} failed sign-ins"


def token_digest(token: str) -> str:
    """Return the SHA-256 digest of a token. Tokens are long and random, so it needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()
