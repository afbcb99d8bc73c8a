"""A rehearsal as rows: the conversation, its lease, and its recorded events."""

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
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, decode
from orchestration.messages import SubtaskRequest


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Conversations, by who may see them."""

    def of(self, user: User) -> ConversationQuerySet:
        """Return the conversations of pipelines that the user may edit.

        A trace that was opened from a file has no pipeline: it is whose who opened it. A
        conversation with subtasks is shown to who may open each of the pipelines that they run,
        and to who began it.
        """
        memberships = Membership.objects.filter(user=user, role="editor")
        shared = models.Q(pipeline__in=memberships.values("pipeline"))
        run = apps.get_model("designer", "SubtaskPipeline").objects.filter(
            conversation=OuterRef("pk")
        )
        closed = run.exclude(pipeline__in=Pipeline.objects.seen_by(user).values("pk"))
        is_known = models.Q(subtask_definitions=[]) | models.Exists(run)
        is_open = models.Q(started_by=user) | (is_known & ~models.Exists(closed))
        opened = models.Q(pipeline=None, started_by=user)
        return self.filter(models.Q(pipeline__owner=user) | (shared & is_open) | opened)

    def find_for(self, user: User, pk: int) -> Conversation | None:
        """One of those, if the user may see it.

        Who owns its pipeline may in any case: sockets ask that for every message, and the rest of
        the question costs five times as much.
        """
        own = self.filter(pipeline__owner=user, pk=pk).first()
        return own or self.of(user).filter(pk=pk).first()

    def without_definition(self) -> ConversationQuerySet:
        """Each without its definitions, which may be large, until they are asked for."""
        return self.defer("definition", "subtask_definitions")

    def with_first_message(self) -> ConversationQuerySet:
        """Each with `first_message`, what was said first, and of a fork with `origin`, the number.

        Both are None where there is none.
        """
        said = RecordedEvent.objects.filter(conversation=OuterRef("pk"), type="message.received")
        words = said.order_by("seq").values(words=KeyTextTransform("text", "body__message"))
        return self.without_definition().annotate(
            first_message=Subquery(words[:1]), origin=models.F("forked_from__number")
        )


class Conversation(models.Model):
    """One rehearsal of a pipeline as it was when the conversation began.

    While a run is on, one worker holds the lease: `run_id` says which run, `lease_until` until
    when, and `fence` rises each time a lease is taken, so that a worker that was frozen and comes
    back writes nothing.
    """

    pipeline = models.ForeignKey(
        Pipeline, null=True, blank=True, on_delete=models.CASCADE, related_name="conversations"
    )
    """None: a trace that was opened from a file, to be read only."""
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    number = models.PositiveIntegerField()
    """Counts the pipeline's conversations from 1."""
    name = models.CharField(max_length=120, blank=True)
    session = models.CharField(max_length=200, blank=True)
    """The engine's id for it; empty: `conversation-<pk>`. A fork keeps the one of its origin, so
    that the events it begins with stay true."""
    forked_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="forks"
    )
    forked_at = models.PositiveIntegerField(null=True, blank=True)
    """The last event that it has in common with its origin."""
    definition = OrderedJSONField()
    subtask_definitions = OrderedJSONField(default=list, blank=True)
    """The pipelines that its subtasks run, as they were too."""
    pipeline_version = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)
    last_seq = models.PositiveIntegerField(default=0)
    run_id = models.CharField(max_length=64, blank=True)
    """The run that is not over yet; empty when none is."""
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Number of attempts at the current run."""
    is_paused = models.BooleanField(default=False)
    """True if the run is paused: nobody drives it then."""
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
    """The person who answers as the human."""

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
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """Title of the conversation."""
        return self.name or f"Rehearsal {self.number}"

    @property
    def session_id(self) -> str:
        """The id the engine knows the conversation by; those of its subtasks begin with it."""
        return self.session or f"conversation-{self.pk}"

    @property
    def is_read_only(self) -> bool:
        """True if the conversation was opened from a file."""
        return self.pipeline_id is None

    def snapshot(self) -> PipelineDefinition:
        """The pipeline as it was when the conversation began."""
        return PipelineDefinition.model_validate(self.definition)

    def pipeline_for(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """The pipeline that does what a subtask asks for, as it was when the conversation began."""
        return find_template(request, self._subtask_pipelines)

    @cached_property
    def _subtask_pipelines(self) -> list[PipelineDefinition]:
        return [PipelineDefinition.model_validate(one) for one in self.subtask_definitions]

    def events(self, *, after: int = 0, at_most: int | None = None) -> list[Event]:
        """The recorded events past `after`, in order."""
        return read_events(self.recorded_events.filter(seq__gt=after)[:at_most])


def read_events(rows: models.QuerySet[RecordedEvent]) -> list[Event]:
    """The events of some rows, read from their text as it is: in no other way as fast."""
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

    class Meta:
        ordering = ("seq",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "seq"], name="one_event_per_seq"),
            models.UniqueConstraint(fields=["conversation", "key"], name="one_event_per_key"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"
