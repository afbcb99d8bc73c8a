"""Conversations with their leases and recorded events."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import OuterRef, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from designer.models.membership import Membership
from designer.models.ordered_json import OrderedJSONField
from designer.models.pipeline import Pipeline
from designer.models.version import Version
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, decode
from orchestration.messages import SubtaskRequest


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Queries for conversations, with permission checks."""

    def of(self, user: User) -> ConversationQuerySet:
        """Return the conversations of pipelines that the user may edit.

        A trace that was opened from a file has no pipeline and belongs to the user who opened it.
        A conversation with subtasks is visible to its author and to users who may open every
        pipeline that the subtasks run.
        """
        memberships = Membership.objects.filter(user=user, role="editor")
        shared = models.Q(pipeline__in=memberships.values("pipeline"))
        subtasks = apps.get_model("designer", "SubtaskPipeline").objects.filter(
            conversation=OuterRef("pk")
        )
        closed = subtasks.exclude(pipeline__in=Pipeline.objects.seen_by(user).values("pk"))
        is_known = models.Q(subtask_definitions=[]) | models.Exists(subtasks)
        is_open = models.Q(started_by=user) | (is_known & ~models.Exists(closed))
        opened = models.Q(pipeline=None, started_by=user)
        return self.filter(models.Q(pipeline__owner=user) | (shared & is_open) | opened)

    def find_for(self, user: User, pk: int) -> Conversation | None:
        """Return the conversation if the user may open it, otherwise None.

        The owner of the pipeline is checked first: sockets call this for every message, and the
        full check costs five times as much.
        """
        own = self.filter(pipeline__owner=user, pk=pk).first()
        return own or self.of(user).filter(pk=pk).first()

    def without_definition(self) -> ConversationQuerySet:
        """Defer the definitions, which may be large, until they are used."""
        return self.defer("definition", "subtask_definitions")

    def with_first_message(self) -> ConversationQuerySet:
        """Annotate `first_message`, a text, and `origin`, the number of a fork's origin."""
        messages = RecordedEvent.objects.filter(
            conversation=OuterRef("pk"), type="message.received"
        )
        texts = messages.order_by("seq").values(text=KeyTextTransform("text", "body__message"))
        rows = self.without_definition().select_related("version").defer("version__definition")
        return rows.annotate(
            first_message=Subquery(texts[:1]), origin=models.F("forked_from__number")
        )


class Conversation(models.Model):
    """A rehearsal of a pipeline, with the definition at its start.

    During a run one worker holds the lease for the run `run_id` until `lease_until`. `fence`
    increases with each lease, so a worker that was suspended and lost its lease writes nothing.
    """

    pipeline = models.ForeignKey(
        Pipeline, null=True, blank=True, on_delete=models.CASCADE, related_name="conversations"
    )
    """None for a read-only trace that was opened from a file."""
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    number = models.PositiveIntegerField()
    """Number within the pipeline, from 1."""
    name = models.CharField(max_length=120, blank=True)
    session = models.CharField(max_length=200, blank=True)
    """The engine's session id; empty for `conversation-<pk>`. A fork keeps the id of its origin,
    because its copied events contain it."""
    forked_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="forks"
    )
    forked_at = models.PositiveIntegerField(null=True, blank=True)
    """Number of the last event shared with the origin of a fork."""
    definition = OrderedJSONField()
    subtask_definitions = OrderedJSONField(default=list, blank=True)
    """Definitions of the subtasks' pipelines at the start of the conversation."""
    pipeline_version = models.PositiveIntegerField()
    """Number of edits of the pipeline at the start."""
    version = models.ForeignKey(
        Version, null=True, blank=True, on_delete=models.SET_NULL, related_name="conversations"
    )
    """Version that it runs; for the draft the newest one at the start."""
    edits_since = models.PositiveIntegerField(null=True, blank=True)
    """Number of edits of the draft since `version`; None for the version itself."""
    created = models.DateTimeField(auto_now_add=True)
    event_format = models.PositiveSmallIntegerField(default=1)
    """Event format of the version of Baton that recorded the last event."""
    last_seq = models.PositiveIntegerField(default=0)
    run_id = models.CharField(max_length=64, blank=True)
    """Id of the current run; empty if there is none."""
    lease_until = models.DateTimeField(null=True, blank=True)
    ready_since = models.DateTimeField(null=True, blank=True)
    """Start or last resumption of the current run; None if there is none, or it is paused."""
    fence = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Number of attempts at the current run since its last progress."""
    is_paused = models.BooleanField(default=False)
    """True if the run is paused: no worker drives it."""
    approvals = models.PositiveIntegerField(default=0)
    """Number of calls that wait for approval."""
    break_points = models.JSONField(default=dict, blank=True)
    """Pause positions: `stages`, a list of phases, and `ways`, a list of pairs of phases."""
    is_logged = models.BooleanField(default=False)
    """True if exchanges with models are recorded, for people who may edit the pipeline."""
    waits_for_human = models.BooleanField(default=False)
    """True if the conversation waits for a human."""
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="taken_conversations",
    )
    """User who answers as the human."""

    objects = ConversationQuerySet.as_manager()

    is_watched = False
    """True if the page was opened by a share link."""

    class Meta:
        ordering = ("-pk",)
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["pipeline", "number"], name="one_conversation_per_number"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["pipeline"],
                condition=models.Q(waits_for_human=True),
                name="conversation_inbox",
            ),
            models.Index(
                fields=["lease_until"],
                condition=models.Q(lease_until__isnull=False),
                name="conversation_leases",
            ),
            models.Index(
                fields=["started_by", "ready_since"],
                condition=models.Q(ready_since__isnull=False),
                name="conversation_ready_runs",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def version_label(self) -> str:
        """Return the version that it runs: `v7`, `draft + 3 edits` or `draft`."""
        if self.edits_since is None and self.version is not None:
            return str(self.version)
        if not self.edits_since or self.version is None:
            return "draft"
        return f"draft + {self.edits_since} edit{'' if self.edits_since == 1 else 's'}"

    @property
    def title(self) -> str:
        """Title of the conversation."""
        return self.name or f"Rehearsal {self.number}"

    @property
    def session_id(self) -> str:
        """The engine's session id; the ids of subtasks begin with it."""
        return self.session or f"conversation-{self.pk}"

    @property
    def is_read_only(self) -> bool:
        """True if the conversation was opened from a file."""
        return self.pipeline_id is None

    def snapshot(self) -> PipelineDefinition:
        """Return the pipeline as it was when the conversation began."""
        return PipelineDefinition.model_validate(self.definition)

    def pipeline_for(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """Return the pipeline for a subtask as it was when the conversation began."""
        return find_template(request, self._subtask_pipelines)

    @cached_property
    def _subtask_pipelines(self) -> list[PipelineDefinition]:
        return [PipelineDefinition.model_validate(data) for data in self.subtask_definitions]

    def events(self, *, after: int = 0, at_most: int | None = None) -> list[Event]:
        """Return the recorded events after event number `after`, in order."""
        return read_events(self.recorded_events.filter(seq__gt=after)[:at_most])


class SpanExport(models.Model):
    """Position up to which the spans of a conversation's runs are exported."""

    conversation = models.OneToOneField(
        Conversation, primary_key=True, on_delete=models.CASCADE, related_name="span_export"
    )
    seq = models.PositiveIntegerField(default=0)
    """Number of the last event that was considered."""

    def __str__(self) -> str:
        return f"{self.conversation_id} up to {self.seq}"


def read_events(rows: models.QuerySet[RecordedEvent]) -> list[Event]:
    """Decode the events of rows directly from their JSON text, which is fastest."""
    return [decode(text) for text in rows.values_list(Cast("body", models.TextField()), flat=True)]


class RecordedEvent(models.Model):
    """One event of a conversation's trace. `seq` is gapless and starts at 1."""

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="recorded_events"
    )
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=40)
    key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001
    """Unique key of the event, such as a client's message id; None for most events."""
    body = models.JSONField()
    request_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 - see `key`
    """Id of the request that caused it; None for the later events of a run."""

    class Meta:
        ordering = ("seq",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "seq"], name="one_event_per_seq"),
            models.UniqueConstraint(fields=["conversation", "key"], name="one_event_per_key"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"
