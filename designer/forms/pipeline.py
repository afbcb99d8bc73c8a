"""What is sent about a pipeline as a whole, and about its routing rules and tools."""

from __future__ import annotations

import re
from typing import Any, Self

from django import forms
from django.core.files.uploadedfile import UploadedFile

from designer.forms.fields import JsonField, KeyField, ListField, PartForm, PickField, ProseField
from designer.patches import Settings
from orchestration.definition import (
    KEY_PATTERN,
    Conditions,
    Limits,
    PipelineDefinition,
    Rule,
    Tool,
    ToolExample,
)
from orchestration.loading import MAX_BYTES

CHANNELS = ("web", "sms", "email", "voice")


class NameForm(forms.Form):
    """A pipeline's name."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the pipeline a name."},
    )


class ImportForm(forms.Form):
    """A JSON file of at most 2 MiB."""

    file = forms.FileField(
        label="Definition (JSON)",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        error_messages={"required": "Choose a file."},
    )

    def clean_file(self) -> UploadedFile[bytes]:
        """Refuse a file that is too large before it is read."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {MAX_BYTES:,} are taken."
            )
        return file


class SettingsForm(PartForm):
    """The pipeline when nothing in it is selected."""

    name = forms.CharField(max_length=120)
    description = ProseField()
    entry = PickField(label="Entry", help_text="Where a conversation begins.")
    default_agent_id = PickField(
        label="Default agent", help_text="Answers where no routing rule matches."
    )
    supervisor_id = PickField(label="Supervisor", help_text="Receives every event.")
    on_handoff = forms.ChoiceField(
        label="After a handoff",
        choices=[
            ("continue", "The target answers at once"),
            ("wait", "The target answers the next message"),
        ],
    )
    allow_human = forms.BooleanField(label="Any agent may hand over to the human", required=False)
    max_turns = forms.IntegerField(label="Turns", min_value=1, max_value=1_000)
    max_handoffs = forms.IntegerField(label="Handoffs", min_value=0, max_value=1_000)
    max_context_tokens = forms.IntegerField(
        label="Context, in tokens", min_value=100, max_value=10_000_000
    )
    aliases = ListField(
        label="Aliases", help_text="Other names for handoff targets, one a line: billing = agent-b"
    )

    @classmethod
    def showing(cls, definition: PipelineDefinition, **options: Any) -> Self:
        """The form of a pipeline as it is."""
        form = cls(
            initial={
                **definition.limits.model_dump(),
                "name": definition.name,
                "description": definition.description,
                "entry": definition.entry or "",
                "default_agent_id": definition.default_agent_id or "",
                "supervisor_id": definition.supervisor_id or "",
                "on_handoff": definition.on_handoff,
                "allow_human": definition.allow_human,
                "aliases": [f"{alias} = {to}" for alias, to in definition.aliases.items()],
            },
            **options,
        )
        agents = [(agent.id, agent.name) for agent in definition.agents]
        phases = [(phase, phase) for phase in definition.stages_by_phase]
        for name, choices in (
            ("entry", [("", "None yet"), *phases]),
            ("default_agent_id", [("", "The agent of the entry"), *agents]),
            ("supervisor_id", [("", "Nobody"), *agents]),
        ):
            form.offer(name, choices)
        return form

    def clean_aliases(self) -> dict[str, str]:
        """Lines of the form `alias = target`."""
        found: dict[str, str] = {}
        for line in self.cleaned_data["aliases"]:
            alias, _, target = (part.strip() for part in line.partition("="))
            if not re.match(KEY_PATTERN, alias) or not re.match(KEY_PATTERN, target):
                raise forms.ValidationError(f"“{line[:60]}” is not of the form alias = target.")
            if alias in found:
                raise forms.ValidationError(f"The alias “{alias}” stands here twice.")
            found[alias] = target
        return found

    def clean(self) -> dict[str, Any]:
        """The settings, all at once."""
        values = dict(self.cleaned_data)
        if not self.errors:
            names = ("max_turns", "max_handoffs", "max_context_tokens")
            values["limits"] = Limits(**{name: values.pop(name) for name in names})
            for name in ("entry", "default_agent_id", "supervisor_id"):
                values[name] = values[name] or None
            values = {"settings": self.build(Settings, values)}
        return values


class RuleForm(PartForm):
    """A routing rule. An empty condition asks for nothing."""

    id = KeyField(label="Rule")
    agent_id = PickField(label="Agent", required=True)
    priority = forms.IntegerField(
        min_value=-1_000_000, max_value=1_000_000, initial=0, help_text="The lowest comes first."
    )
    phases = ListField(rows=2, help_text="One a line.")
    channel_types = ListField(rows=2, label="Channels", help_text=", ".join(CHANNELS))
    intents = ListField(rows=2)
    source_channel_ids = ListField(rows=2, label="Source channels")
    custom = forms.CharField(
        label="Condition (CEL)",
        required=False,
        max_length=1_000,
        help_text="Over event, conversation and state.",
    )

    @classmethod
    def showing(
        cls, definition: PipelineDefinition, rule: Rule | None = None, **options: Any
    ) -> Self:
        """The form of a rule as it is, or an empty one."""
        initial = (
            {"id": rule.id, "agent_id": rule.agent_id, "priority": rule.priority}
            | rule.conditions.model_dump()
            if rule
            else {}
        )
        form = cls(initial=initial, **options)
        agents = [(agent.id, agent.name) for agent in definition.agents]
        form.offer("agent_id", [("", "Choose…"), *agents])
        form.fields["id"].widget.attrs["autofocus"] = True
        return form

    def rule(self, was: Rule | None = None) -> Rule | None:
        """The rule that the form says. A condition that never holds stays, if it was there."""
        values = self.cleaned_data
        conditions: dict[str, Any] = {}
        for name in ("phases", "channel_types", "intents", "source_channel_ids"):
            never = was is not None and getattr(was.conditions, name) == ()
            conditions[name] = values[name] or (() if never else None)
        conditions["custom"] = values["custom"] or None
        made = self.build(Conditions, conditions)
        parts = {name: values[name] for name in ("id", "agent_id", "priority")}
        return self.build(Rule, {**parts, "conditions": made}) if made else None


class ToolForm(PartForm):
    """A tool: what the model is told of it, and how its stand-in answers."""

    name = forms.CharField(max_length=64)
    description = forms.CharField(
        required=False, max_length=500, widget=forms.Textarea(attrs={"rows": 3})
    )
    parameters = JsonField(
        dict[str, Any],
        rows=6,
        empty='{"type": "object", "properties": {}}',
        help_text="A JSON Schema of the arguments.",
    )
    examples = JsonField(
        tuple[ToolExample, ...],
        rows=4,
        empty="[]",
        help_text='What the stand-in answers: [{"arguments": {}, "result": "…"}]',
    )

    @classmethod
    def showing(cls, tool: Tool, **options: Any) -> Self:
        """The form of a tool as it is."""
        return cls(initial={name: getattr(tool, name) for name in cls.base_fields}, **options)

    def clean(self) -> dict[str, Any]:
        """The tool, all at once."""
        values = self.cleaned_data
        return values if self.errors else {"tool": self.build(Tool, values)}
