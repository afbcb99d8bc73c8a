"""Audit trail: security-relevant actions of users."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

MAX_ACTOR_NAME, MAX_AUDIT_TEXT = 150, 300
"""Maximum lengths of texts."""


class AuditAction(models.TextChoices):
    """Recorded actions. A new one needs a line here and a call of `record_audit`."""

    SIGNED_IN = "signed_in", "Signed in"
    SIGN_IN_FAILED = "sign_in_failed", "Sign-in failed"
    SIGNED_OUT = "signed_out", "Signed out"
    SIGN_IN_LINK_CREATED = "sign_in_link_created", "Sign-in link created"
    USER_CREATED = "user_created", "User created"
    USER_DEACTIVATED = "user_deactivated", "User deactivated"
    USER_ACTIVATED = "user_activated", "User activated"
    USER_CHANGED = "user_changed", "User changed"
    ROLE_CHANGED = "role_changed", "Role changed"
    IDENTITY_LINKED = "identity_linked", "Account linked to the provider"
    IDENTITY_UNLINKED = "identity_unlinked", "Link to the provider removed"
    INVITATION_CREATED = "invitation_created", "Invitation created"
    INVITATION_REVOKED = "invitation_revoked", "Invitation revoked"
    RESET_LINK_CREATED = "reset_link_created", "Reset link created"
    PASSWORD_CHANGED = "password_changed", "Password changed"
    PASSWORD_RESET_REQUESTED = "password_reset_requested", "Password reset requested"
    PIPELINE_SHARED = "pipeline_shared", "Pipeline shared"
    PIPELINE_UNSHARED = "pipeline_unshared", "Pipeline no longer shared"
    SHARE_LINK_CREATED = "share_link_created", "Share link created"
    SHARE_LINK_REVOKED = "share_link_revoked", "Share link revoked"
    CONNECTION_ADDED = "connection_added", "Connection added"
    CONNECTION_DELETED = "connection_deleted", "Connection deleted"
    KEY_CHANGED = "key_changed", "Key changed"
    VERSION_PROMOTED = "version_promoted", "Version promoted"
    SECRETS_REENCRYPTED = "secrets_reencrypted", "Secrets encrypted with a new key"


class AuditEntry(models.Model):
    """One action. It keeps its names, even if the user or the object is deleted."""

    at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)
    # Without `choices`, so that a new action needs no migration.
    action = models.CharField(max_length=40, db_index=True)
    """Value of an `AuditAction`."""
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="audit_entries",
    )
    """User who acted; None for a command of the operator, and for a failed sign-in."""
    actor_name = models.CharField(max_length=MAX_ACTOR_NAME, blank=True)
    """Name of the user, or the name that was entered."""
    target = models.CharField(max_length=MAX_AUDIT_TEXT, blank=True)
    """The object: `pipeline 7 “Support desk”`."""
    detail = models.CharField(max_length=MAX_AUDIT_TEXT, blank=True)
    address = models.CharField(max_length=64, blank=True)
    """Address of the client."""
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action} {self.target}"

    @property
    def action_label(self) -> str:
        """Name of the action; its value if this version does not know it."""
        known = self.action in AuditAction.values
        return str(AuditAction(self.action).label) if known else self.action
