"""Sums of a conversation for the page of conversations, and its tags."""

from __future__ import annotations

from typing import ClassVar

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import OuterRef

from designer.models.conversation import Conversation
from designer.models.membership import Membership
from designer.models.pipeline import Pipeline

MAX_FIRST_WORDS = 160
"""Maximum number of stored characters of the first message."""

SORTED_COLUMNS = (
    "last_at",
    "first_words",
    "path",
    "outcome",
    "version",
    "handoffs",
    "rejections",
    "turns",
    "tokens",
    "cost",
    "seconds",
    "source",
)
"""Columns with an index for each pipeline."""


class ConversationSummaryQuerySet(models.QuerySet["ConversationSummary"]):
    """Queries for summaries, with permission checks."""

    def of(self, user: User) -> ConversationSummaryQuerySet:
        """Return the summaries of the conversations that `ConversationQuerySet.of` returns.

        Conversations without a pipeline, opened from files, have no summary. The check reads only
        rows of summaries, which are small.
        """
        shared = Membership.objects.filter(user=user, role="editor").values("pipeline")
        subtasks = apps.get_model("designer", "SubtaskPipeline").objects.filter(
            conversation=OuterRef("pk")
        )
        closed = subtasks.exclude(pipeline__in=Pipeline.objects.seen_by(user).values("pk"))
        is_known = models.Q(has_subtasks=False) | models.Exists(subtasks)
        is_open = models.Q(started_by=user) | (is_known & ~models.Exists(closed))
        own = models.Q(pipeline__in=Pipeline.objects.of(user).values("pk"))
        return self.filter(own | (models.Q(pipeline__in=shared) & is_open))

    def hidden_from(self, user: User) -> ConversationSummaryQuerySet:
        """Return the summaries in pipelines that the user may edit, but that `of` leaves out.

        These conversations run pipelines that are not shared with the user.
        """
        shared = Membership.objects.filter(user=user, role="editor").values("pipeline")
        open_ones = ConversationSummary.objects.of(user)
        closed = self.filter(pipeline__in=shared, has_subtasks=True)
        return closed.exclude(pk__in=open_ones.values("pk"))

    def in_pipeline(self, pipeline: Pipeline, user: User) -> ConversationSummaryQuerySet:
        """Return the summaries of a pipeline that the user may open.

        The owner opens all of them, which needs no check of each row.
        """
        rows = self if pipeline.owner_id == user.pk else self.of(user)
        return rows.filter(pipeline=pipeline)


class ConversationSummary(models.Model):
    """Sums of a conversation's events up to event `seq`.

    They are apart from the conversation, whose definition makes its rows large.
    """

    conversation = models.OneToOneField(
        Conversation, primary_key=True, on_delete=models.CASCADE, related_name="summary"
    )
    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="summaries")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    has_subtasks = models.BooleanField(default=False)
    """True if the conversation stores definitions of subtasks."""
    version = models.PositiveIntegerField()
    """Number of the version that it runs; 0 for the draft."""
    version_label = models.CharField(max_length=40, blank=True)
    """`v7` or `draft + 3 edits`."""
    source = models.CharField(
        max_length=12, choices=[("rehearsal", "Rehearsal"), ("fork", "Fork")], default="rehearsal"
    )
    channel = models.CharField(max_length=40, blank=True)
    """Channel of the first message; empty without a message."""
    created = models.DateTimeField()
    last_at = models.DateTimeField()
    """Time of the last start or end of a run, or of an event outside of a run."""
    seq = models.PositiveIntegerField(default=0)
    """Number of the last event in the sums."""
    is_outdated = models.BooleanField(default=False)
    """True if a job has to compute the sums: they are older than this table."""
    is_pinned = models.BooleanField(default=False)
    """True if retention keeps the conversation."""
    outcome = models.CharField(max_length=24, default="new")
    """`new`, `running`, `paused`, or the reason for the end of the last run."""
    first_words = models.CharField(max_length=MAX_FIRST_WORDS, blank=True)
    path = models.TextField(blank=True)
    """Phases in order, separated by spaces; `!` is a rejected handoff."""
    agents = models.TextField(blank=True)
    """Ids of the agents that answered, each between spaces."""
    handoffs = models.PositiveIntegerField(default=0)
    rejections = models.PositiveIntegerField(default=0)
    turns = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0.0)
    """Cost of the calls with a known price, in dollars."""
    copied_tokens = models.PositiveBigIntegerField(default=0)
    """Tokens of the events that a fork copied, which its origin counts too."""
    copied_cost = models.FloatField(default=0.0)
    """Cost of the copied events."""
    unpriced = models.PositiveIntegerField(default=0)
    """Number of model calls without a known price."""
    seconds = models.FloatField(default=0.0)
    """Duration of all runs."""
    rejected = models.JSONField(default=dict, blank=True)
    """Number of rejections by stage, target and kind of refusal: `{"intake billing cycle": 2}`.

    Copied events are left out, here and in `answer_times`.
    """
    answer_times = models.JSONField(default=dict, blank=True)
    """Seconds from the start of a run to its first word and to its end, by the agent that
    answered: `{"intake": [[0.4, 1.2]]}`."""

    objects = ConversationSummaryQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            *(
                models.Index(fields=["pipeline", name, "conversation"], name=f"summary_by_{name}")
                for name in SORTED_COLUMNS
            ),
            models.Index(
                fields=["conversation"],
                condition=models.Q(is_outdated=True),
                name="summary_outdated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id}: {self.outcome}"


class ConversationTag(models.Model):
    """A tag of a conversation."""

    summary = models.ForeignKey(ConversationSummary, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=24)

    class Meta:
        ordering = ("name",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["name", "summary"], name="one_tag_per_name")
        ]

    def __str__(self) -> str:
        return self.name
