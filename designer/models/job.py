"""Long work: jobs and their shards, which workers run under leases."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import models


class JobState(models.TextChoices):
    """State of a job."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


OPEN_JOB_STATES = (JobState.WAITING, JobState.RUNNING)
"""States of a job that is not over."""


class JobQuerySet(models.QuerySet["Job"]):
    """Queries for jobs, with permission checks."""

    def seen_by(self, user: User) -> JobQuerySet:
        """Return the jobs of a user; administrators see all jobs."""
        return self if user.is_staff else self.filter(asked_by=user)

    def open(self) -> JobQuerySet:
        """Return the jobs that are not over."""
        return self.filter(state__in=OPEN_JOB_STATES)


class Job(models.Model):
    """Long work on a list of items, such as an export of many conversations.

    The items are divided into shards. Workers run the shards one by one, and `done` counts the
    items of the finished ones.
    """

    kind = models.CharField(max_length=40)
    """Name of a kind of job from the setting JOB_KINDS."""
    title = models.CharField(max_length=200)
    arguments = models.JSONField(default=dict, blank=True)
    asked_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    """Person who started the job; None for a management command."""
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.WAITING)
    message = models.CharField(max_length=500, blank=True)
    """Reason of a failure."""
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    due = models.DateTimeField()
    """Time at which the work is queued again, unless a worker makes progress before."""

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes: ClassVar = [
            models.Index(
                fields=["due"], condition=models.Q(state__in=OPEN_JOB_STATES), name="job_due"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        """True if the job is not over."""
        return self.state in OPEN_JOB_STATES

    @property
    def is_done(self) -> bool:
        """True if all items are finished."""
        return self.state == JobState.DONE

    @property
    def percent(self) -> int:
        """Share of the finished items."""
        return 100 * self.done // self.total


class JobShard(models.Model):
    """A part of a job, run by one worker at a time, which holds its lease until `lease_until`.

    `fence` increases with each lease: a worker that lost its lease cannot finish the shard.
    """

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveIntegerField()
    """Position within the job, from 1."""
    items: Any = models.JSONField()
    is_done = models.BooleanField(default=False)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveIntegerField(default=0)
    """Number of leases so far."""
    output = models.BinaryField(default=bytes)
    """Part of the result file, compressed."""

    class Meta:
        ordering = ("number",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "number"], name="one_shard_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.number} of job {self.job_id}"
