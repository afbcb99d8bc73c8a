"""Invitations: links with which new people create their accounts."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from designer.models.sign_in import token_digest


class AccountRole(models.TextChoices):
    """Role of an account; administrators are Django's superusers."""

    USER = "user", "User"
    ADMINISTRATOR = "administrator", "Administrator"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Queries for invitations."""

    def open(self) -> Self:
        """Return the invitations that can be used, of people who are still administrators."""
        return self.filter(
            accepted_at=None,
            revoked_at=None,
            expires_at__gt=timezone.now(),
            created_by__is_active=True,
            created_by__is_superuser=True,
        )

    def for_token(self, token: str) -> Self:
        """Return the invitation with this token, if there is one."""
        return self.filter(digest=token_digest(token))


class Invitation(models.Model):
    """A link that creates one account. Only the digest of its token is stored."""

    digest = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=20, choices=AccountRole.choices)
    email = models.EmailField(blank=True)
    """Address of the new account, if the administrator knows it."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="accepted_invitations",
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")),
                name="invitation_expires_after_its_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"
