"""Progress of users with their first pipeline."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from designer.models.pipeline import Pipeline


class Checklist(models.Model):
    """Checklist of a user for the first pipeline: the state that other rows do not contain."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="checklist",
    )
    is_closed = models.BooleanField(default=False)
    """It is complete or dismissed, and never shown again."""
    exported_pipeline = models.ForeignKey(
        Pipeline, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The pipeline that the user exported last."""

    def __str__(self) -> str:
        return f"Checklist of {self.user}"
