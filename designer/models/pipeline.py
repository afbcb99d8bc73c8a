"""A pipeline as rows, which `designer.definitions` reads and writes."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from designer.models.ordered_json import OrderedJSONField
from orchestration.definition import Limits


class PipelineQuerySet(models.QuerySet["Pipeline"]):
    """Queries for pipelines, with permission checks."""

    def of(self, user: User) -> PipelineQuerySet:
        """Return the user's own pipelines."""
        return self.filter(owner=user)

    def seen_by(self, user: User) -> PipelineQuerySet:
        """Return the pipelines that the user may open, each with the user's `role`."""
        membership = models.FilteredRelation(
            "memberships", condition=models.Q(memberships__user=user)
        )
        role = models.Case(
            models.When(owner=user, then=models.Value("owner")), default=models.F("shared__role")
        )
        return self.annotate(shared=membership, role=role).exclude(role=None)

    def listed(self) -> PipelineQuerySet:
        """Annotate `stage_count`; the most recently changed pipeline comes first."""
        pipelines = self.annotate(stage_count=models.Count("stages"))
        return pipelines.order_by("-updated", "-pk")


class Pipeline(models.Model):
    """The whole design. `version` increases by one with every edit."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pipelines"
    )
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    topology = models.CharField(
        max_length=8,
        choices=[
            ("pipeline", "A pipeline: agents hand over along the transitions"),
            ("workflow", "A workflow: each stage's answer is the next one's input"),
            ("team", "A team: the entry's agent delegates to the others"),
            ("swarm", "A swarm: peers hand over to each other"),
        ],
        default="pipeline",
    )
    entry = models.ForeignKey(
        "Stage", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    default_agent = models.ForeignKey(
        "Agent", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    supervisor = models.ForeignKey(
        "Agent", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    supervision = models.JSONField(null=True, blank=True)
    """Calls of the supervisor's model; None: no call."""
    supervisor_x = models.FloatField(null=True, blank=True)
    supervisor_y = models.FloatField(null=True, blank=True)
    aliases = models.JSONField(default=dict, blank=True)
    variables = models.JSONField(default=dict, blank=True)
    """Default values of the variables by their names."""
    on_handoff = models.CharField(
        max_length=8,
        choices=[
            ("continue", "The target answers at once"),
            ("wait", "It answers the next message"),
        ],
        default="continue",
    )
    handoff_tool_name = models.CharField(max_length=64, blank=True)
    """Name of the shared handoff tool; empty uses the default of the topology."""
    allow_human = models.BooleanField(default=True)
    max_turns = models.PositiveIntegerField(default=Limits().max_turns)
    max_handoffs = models.PositiveIntegerField(default=Limits().max_handoffs)
    max_context_tokens = models.PositiveIntegerField(default=Limits().max_context_tokens)
    max_calls = models.PositiveIntegerField(default=Limits().max_calls)
    max_tokens = models.PositiveIntegerField(default=Limits().max_tokens)
    max_cost = models.FloatField(null=True, blank=True)
    max_seconds = models.FloatField(default=Limits().max_seconds)
    count_handoffs = models.CharField(
        max_length=9,
        choices=[("completed", "Completed handoffs"), ("requested", "Requested handoffs")],
        default="completed",
    )
    detect_cycles = models.BooleanField(null=True, blank=True)
    """True to end a run at a cycle of handoffs; None: in a swarm only."""
    unresolved = models.JSONField(default=dict, blank=True)
    """References of an imported file to parts that do not exist: settings by name, `transitions` by
    key, and the `names` that the file uses without defining them."""
    tags = models.JSONField(default=list, blank=True)
    """Short names that group pipelines in the list; not part of the definition."""
    keep_days = models.PositiveIntegerField(null=True, blank=True)
    """Days without activity after which conversations are deleted; None: they are kept."""
    version = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0, editable=False)
    """Number of errors at the last edit."""
    warnings = models.PositiveIntegerField(default=0, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    objects = PipelineQuerySet.as_manager()

    class Meta:
        ordering = ("-updated", "-pk")

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    """An agent. `key` is the agent's id in the definition."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="agents")
    key = models.CharField(max_length=64)
    name = models.CharField(max_length=120)
    instructions = models.TextField(blank=True)
    language = models.CharField(max_length=120, blank=True)
    provider = models.CharField(max_length=64, default="default")
    model = models.CharField(max_length=200, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True)
    reasoning_effort = models.CharField(
        max_length=7,
        blank=True,
        choices=[(effort, effort) for effort in ("minimal", "low", "medium", "high")],
    )
    tool_choice = models.CharField(
        max_length=8,
        choices=[
            ("auto", "It may call tools"),
            ("required", "It has to call one"),
            ("none", "It calls none"),
        ],
        default="auto",
    )
    response_schema = OrderedJSONField(null=True, blank=True)
    retries = models.PositiveSmallIntegerField(null=True, blank=True)
    retry_shown = models.BooleanField(default=False)
    time_limit = models.FloatField(null=True, blank=True)
    fallback = models.CharField(max_length=64, blank=True)
    fallback_model = models.CharField(max_length=200, blank=True)
    tools = models.JSONField(default=list, blank=True)
    cues = OrderedJSONField(default=list, blank=True)
    hue = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("key",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "key"], name="one_agent_per_key")
        ]

    def __str__(self) -> str:
        return self.name


class Frame(models.Model):
    """A coloured frame around at least one stage. `key` is its id in the definition.

    The foreign key of the stage ensures that a stage is in one frame at most.
    """

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="frames")
    key = models.CharField(max_length=64)
    title = models.CharField(max_length=120)
    hue = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("key",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "key"], name="one_frame_per_key")
        ]

    def __str__(self) -> str:
        return self.title


class Stage(models.Model):
    """A node of the design, served by an agent, a group or the human."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="stages")
    phase = models.CharField(max_length=64)
    kind = models.CharField(
        max_length=8,
        choices=[("agent", "An agent"), ("group", "A group of agents"), ("human", "The human")],
        default="agent",
    )
    agent = models.ForeignKey(
        Agent, null=True, blank=True, on_delete=models.SET_NULL, related_name="stages"
    )
    unknown_agent = models.CharField(max_length=64, blank=True)
    """Key of the stage's agent if that agent does not exist."""
    group = models.JSONField(null=True, blank=True)
    """Members of a `group` stage by their keys; agents may be missing."""
    description = models.TextField(blank=True)
    x = models.FloatField(null=True, blank=True)
    y = models.FloatField(null=True, blank=True)
    frame = models.ForeignKey(
        Frame, null=True, blank=True, on_delete=models.SET_NULL, related_name="stages"
    )

    class Meta:
        ordering = ("phase",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "phase"], name="one_stage_per_phase"),
            models.CheckConstraint(
                condition=models.Q(kind="agent") | models.Q(agent=None),
                name="only_an_agent_stage_has_an_agent",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="group") | models.Q(group__isnull=True),
                name="only_a_group_stage_has_a_group",
            ),
            models.CheckConstraint(
                condition=models.Q(x=None, y=None) | models.Q(x__isnull=False, y__isnull=False),
                name="a_stage_is_placed_or_not",
            ),
        ]

    def __str__(self) -> str:
        return self.phase


class Transition(models.Model):
    """An allowed edge between two stages: the only `next` of its source, or a `return`."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="transitions")
    source = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="transitions_out")
    target = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="transitions_in")
    kind = models.CharField(
        max_length=8, choices=[("next", "next"), ("return", "return")], default="next"
    )
    description = models.CharField(max_length=500, blank=True)
    input_schema = OrderedJSONField(null=True, blank=True)
    tool_name = models.CharField(max_length=64, blank=True)
    input_filter = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("source__phase", "kind", "target__phase")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "target"], name="one_transition_per_pair_of_stages"
            ),
            models.UniqueConstraint(
                fields=["source"],
                condition=models.Q(kind="next"),
                name="one_next_per_stage",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"


class Rule(models.Model):
    """A routing rule: an agent and its conditions."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="rules")
    key = models.CharField(max_length=64)
    agent = models.ForeignKey(
        Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="rules"
    )
    unknown_agent = models.CharField(max_length=64, blank=True)
    """Key of the rule's agent if that agent does not exist."""
    priority = models.IntegerField(default=0)
    conditions = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("priority", "key")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "key"], name="one_rule_per_key")
        ]

    def __str__(self) -> str:
        return self.key


class Tool(models.Model):
    """A tool that agents may call."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=64)
    kind = models.CharField(
        max_length=10,
        choices=[
            ("function", "A function"),
            ("subtask", "Another pipeline"),
            ("user_input", "A question to the user"),
            ("http", "An HTTP request"),
            ("mcp", "A tool of an MCP server"),
        ],
        default="function",
    )
    description = models.CharField(max_length=500, blank=True)
    parameters = OrderedJSONField(default=dict, blank=True)
    pipeline_name = models.CharField(max_length=120, blank=True)
    """Name of the pipeline for a subtask; empty to use the best match of the hints."""
    template_hints = models.JSONField(default=list, blank=True)
    http = OrderedJSONField(null=True, blank=True)
    mcp = models.JSONField(null=True, blank=True)
    examples = OrderedJSONField(default=list, blank=True)
    stand_in = models.BooleanField(default=False)
    approval = models.BooleanField(default=False)
    idempotent = models.BooleanField(default=False)
    time_limit = models.FloatField(null=True, blank=True)
    max_answer = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "name"], name="one_tool_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class Note(models.Model):
    """A note on the canvas. `key` is its id in the definition."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="notes")
    key = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    x = models.FloatField()
    y = models.FloatField()
    width = models.FloatField(null=True, blank=True)
    hue = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("key",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pipeline", "key"], name="one_note_per_key")
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Edit(models.Model):
    """One edit: the changed parts before and after. Edits form the undo history."""

    pipeline = models.ForeignKey(Pipeline, on_delete=models.CASCADE, related_name="edits")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="edits"
    )
    label = models.CharField(max_length=200)
    before = OrderedJSONField()
    after = OrderedJSONField()
    undone = models.BooleanField(default=False)
    made = models.DateTimeField(default=timezone.now)
    """Time of the edit; for continuous typing, of its last part."""
    version = models.PositiveIntegerField(default=0)
    """Version of the pipeline after the edit was last made, undone or redone."""

    class Meta:
        ordering = ("-pk",)
        indexes: ClassVar = [
            models.Index(fields=["pipeline", "user", "undone", "-id"], name="edit_stack"),
            models.Index(fields=["pipeline", "version"], name="edit_version"),
        ]

    def __str__(self) -> str:
        return self.label
