"""Signs of life of the workers that drive runs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone


class WorkerHeartbeat(models.Model):
    """Latest sign of life of a worker, which writes it every few seconds."""

    name = models.CharField(max_length=120, unique=True)
    """Host, process id and a random part."""
    started = models.DateTimeField(default=timezone.now)
    seen = models.DateTimeField(default=timezone.now)
    event_format = models.PositiveSmallIntegerField()
    """Newest event format that the worker can replay."""
    runs = models.PositiveIntegerField(default=0)
    """Number of runs that it drives."""
    capacity = models.PositiveIntegerField()
    """Maximum number of runs at the same time."""

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name
