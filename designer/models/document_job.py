"""The document that a user imports at the moment."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import models


class DocumentJob(models.Model):
    """Lock of a user's imports: one at a time, in all processes."""

    user = models.OneToOneField(
        User, on_delete=models.CASCADE, primary_key=True, related_name="document_job"
    )
    locked_until = models.DateTimeField()
    """Time at which the lock ends by itself, because its process may have stopped."""
