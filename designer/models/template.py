"""Templates: stored designs for new pipelines."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models

from designer.models.ordered_json import OrderedJSONField


class TemplateQuerySet(models.QuerySet["Template"]):
    """Queries for templates."""

    def of(self, user: User) -> TemplateQuerySet:
        """Return the user's own templates."""
        return self.filter(owner=user)

    def listed(self) -> TemplateQuerySet:
        """Order by name and defer the definitions until they are used."""
        return self.defer("definition").order_by("name", "pk")


class Template(models.Model):
    """A named definition, independent of its original pipeline."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="templates"
    )
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    definition = OrderedJSONField()
    stage_count = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    objects = TemplateQuerySet.as_manager()

    class Meta:
        ordering = ("name", "pk")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "name"], name="one_template_per_name")
        ]

    def __str__(self) -> str:
        return self.name
