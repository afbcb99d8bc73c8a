"""Links between accounts and an OpenID Connect provider."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class OpenIdIdentity(models.Model):
    """A person as a provider knows it. The subject never changes, unlike names and addresses."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="openid_identities"
    )
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "OpenID identity"
        verbose_name_plural = "OpenID identities"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="openid_identity_of_one_account"
            ),
            models.UniqueConstraint(
                fields=["user", "issuer"], name="openid_identity_once_per_provider"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
