"""Versions and releases of a pipeline, files to compare with, and the history of all edits."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models

from designer.models.ordered_json import OrderedJSONField
from designer.models.pipeline import Pipeline
from orchestration.definition import PipelineDefinition

LIVE = "live"
"""Name of the release that users get."""


class ImmutableVersionError(TypeError):
    """A stored version was to be changed."""

    def __init__(self) -> None:
        super().__init__("A version is immutable: save a new one.")


class VersionQuerySet(models.QuerySet["Version"]):
    """Queries for versions, which refuse every change except the name of a checkpoint."""

    def without_definition(self) -> VersionQuerySet:
        """Defer the definitions, which may be large, until they are used."""
        return self.defer("definition")

    def checkpoints(self) -> VersionQuerySet:
        """Return the versions without a name that no release and no conversation uses."""
        return self.filter(name="", releases=None, previous_releases=None, conversations=None)

    def name_checkpoints(self, name: str, note: str) -> int:
        """Name the versions without a name, which are published now; return their number."""
        return super(VersionQuerySet, self.filter(name="")).update(name=name, note=note)

    def update(self, **values: Any) -> NoReturn:
        """Refuse the change."""
        raise ImmutableVersionError

    def bulk_update(self, *args: Any, **values: Any) -> NoReturn:
        """Refuse the change."""
        raise ImmutableVersionError

    def delete(self) -> NoReturn:
        """Refuse the deletion: see `delete_checkpoints`."""
        raise ImmutableVersionError

    def delete_checkpoints(self) -> int:
        """Delete the checkpoints of these versions, and return their number."""
        unused = self.model.objects.checkpoints().filter(pk__in=self.values_list("pk"))
        return super(VersionQuerySet, unused).delete()[0]


class Version(models.Model):
    """An immutable state of a pipeline.

    `digest` identifies its behaviour: versions that differ only in the layout have the same one.
    """

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    """Number within the pipeline, from 1."""
    definition = OrderedJSONField()
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=120, blank=True)
    """Empty for a checkpoint."""
    note = models.TextField(max_length=2_000, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="versions",
    )
    author_name = models.CharField(max_length=150)
    created = models.DateTimeField(auto_now_add=True)
    based_on = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The newest version at that time."""
    edit_count = models.PositiveIntegerField()
    """Number of edits of the pipeline when the version was saved."""

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ("-number",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "number"], name="one_version_per_number")
        ]

    def __str__(self) -> str:
        return f"v{self.number}"

    def save(self, *args: Any, **options: Any) -> None:
        """Store a new version; raise `ImmutableVersionError` for a stored one."""
        if not self._state.adding:
            raise ImmutableVersionError
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        """Raise `ImmutableVersionError`."""
        raise ImmutableVersionError

    def snapshot(self) -> PipelineDefinition:
        """Return the definition of the version."""
        return PipelineDefinition.model_validate(self.definition)


class Release(models.Model):
    """A named pointer to a version, such as `live`."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="releases")
    name = models.CharField(max_length=40, default=LIVE)
    version = models.ForeignKey(Version, on_delete=models.RESTRICT, related_name="releases")
    previous = models.ForeignKey(
        Version,
        null=True,
        blank=True,
        on_delete=models.RESTRICT,
        related_name="previous_releases",
    )
    """The version before, to which a roll-back returns."""
    promoted = models.DateTimeField(auto_now=True)
    promoted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "name"], name="one_release_per_name")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.version}"


class ComparedFile(models.Model):
    """A definition from a file, which a user compares with a pipeline."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="compared_files"
    )
    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="compared_files")
    name = models.CharField(max_length=120)
    definition = OrderedJSONField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ("-pk",)

    def __str__(self) -> str:
        return self.name


class HistoryEntry(models.Model):
    """One edit in the history of a pipeline, an undone or repeated one included.

    The undo stack of a user (`Edit`) changes and is short; the history only grows. Continuous
    typing in one field extends the last entry, and the oldest entries are deleted beyond a bound.
    """

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="history")
    since = models.PositiveIntegerField()
    """Edit count of the pipeline before the edit."""
    version = models.PositiveIntegerField()
    """Edit count of the pipeline after the edit."""
    label = models.CharField(max_length=200)
    before = OrderedJSONField()
    """The changed parts before the edit."""
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    user_name = models.CharField(max_length=150)
    made = models.DateTimeField()

    class Meta:
        ordering = ("-version",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "version"], name="one_entry_per_edit")
        ]

    def __str__(self) -> str:
        return self.label
