"""Members of a pipeline, apart from its owner."""

from __future__ import annotations

from typing import ClassVar, Literal

from django.conf import settings
from django.db import models

from designer.models.pipeline import Pipeline

Role = Literal["owner", "editor", "viewer"]
"""Role: everything; everything except sharing and deleting; or view only."""


class Membership(models.Model):
    """Role of a user with whom a pipeline is shared. The owner has no membership."""

    ROLES: ClassVar = [("editor", "can edit"), ("viewer", "can view")]

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(
        max_length=6,
        choices=ROLES,
        default="editor",
    )

    class Meta:
        ordering = ("user__username",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "user"], name="one_role_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"
