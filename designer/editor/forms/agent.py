"""Forms of an agent in the inspector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from django import forms
from django.urls import reverse
from django.utils.html import format_html

from designer.core import (
    JsonField,
    KeyField,
    ListField,
    MultiPickField,
    PartChoices,
    PartForm,
    PromptField,
    ProseField,
    ProviderChoices,
    RowForms,
    SectionedForm,
    ToolNameField,
    derive_fields,
    natural_key,
    part_choices,
)
from orchestration.definition import MAX_CUES, Agent, Cue, PipelineDefinition
from orchestration.tokens import ENVELOPE, estimate_tokens

NO_CONNECTION = "There is no connection"
"""Beginning of the sentence about an unknown provider."""


@derive_fields(Agent, without=("cues",))
class AgentForm(SectionedForm):
    """An agent without its cues."""

    instructions = PromptField(rows=8)
    id = KeyField(
        label="Id",
        help_text="Follows the name until something else or somebody else uses it.",
    )
    provider = KeyField()
    tools = MultiPickField()
    reasoning_effort = forms.TypedChoiceField(
        required=False,
        empty_value=None,
        choices=[
            ("", "The model's default"),
            ("minimal", "Minimal"),
            ("low", "Low"),
            ("medium", "Medium"),
            ("high", "High"),
        ],
        help_text="The amount of reasoning before an answer.",
    )
    tool_choice = forms.TypedChoiceField(
        required=False,
        empty_value="auto",
        label="Tool calls",
        choices=[("auto", "Allowed"), ("required", "Required"), ("none", "Not allowed")],
    )
    response_schema = JsonField(
        dict[str, Any] | None,
        rows=2,
        empty="null",
        label="Schema of the answer",
        help_text="A JSON Schema for all text answers. Leave empty for free text.",
    )

    TOP: ClassVar = ("instructions", "name")
    SECTIONS: ClassVar = {
        "Model": ("provider", "model"),
        "Tools": ("tools",),
        "Answer": (
            "language",
            "temperature",
            "max_output_tokens",
            "reasoning_effort",
            "tool_choice",
            "response_schema",
        ),
        "Retries and fallback": (
            "retries",
            "retry_shown",
            "time_limit",
            "fallback",
            "fallback_model",
        ),
        "Advanced": ("id",),
    }
    OPEN: ClassVar = frozenset({"Model", "Tools"})
    DEFAULTS: ClassVar = {"tool_choice": "auto"}
    PATHS: ClassVar = {"response_schema": "response_schema"}
    """Field that shows the issues of a path of the agent."""

    @classmethod
    def showing(
        cls, definition: PipelineDefinition, agent: Agent, offered: ProviderChoices, **options: Any
    ) -> Self:
        """Return the form of a saved agent, with the providers and models to choose from."""
        form = cls(initial=agent.model_dump(exclude={"cues"}), **options)
        form.fields["instructions"].widget.token_count = (
            estimate_tokens(agent.instructions) - ENVELOPE
        )
        form.fields["provider"].help_text = format_html(
            'A <a href="{}">connection</a> of the pipeline\'s owner. “default” is used by agents '
            "without a choice of their own; “scripted” plays the cues.",
            reverse("connections"),
        )
        form.suggest("provider", offered.names, unknown=NO_CONNECTION)
        form.suggest("fallback", offered.names, unknown=NO_CONNECTION)
        form.suggest("model", offered.models_of(agent.provider))
        form.suggest("fallback_model", offered.models_of(agent.fallback))
        form.show_issues(
            {
                name: f"No provider “{key}” is connected here."
                for name, key in (("provider", agent.provider), ("fallback", agent.fallback))
                if key and key not in offered.models
            }
        )
        names = sorted({*definition.tools_by_name, *agent.tools}, key=natural_key)
        form.set_choices("tools", [(name, name) for name in names])
        return form

    def summary_of(self, section: str, fields: list[forms.BoundField]) -> str:
        """Return the values of a section in a few words: the model and its provider, the tools."""
        values = [str(field.value() or "") for field in reversed(fields)]
        match section:
            case "Model":
                return " · ".join(filter(None, values))
            case "Tools":
                count = len(self["tools"].value() or ())
                return f"{count} tool{'' if count == 1 else 's'}" if count else "none"
            case _:
                return super().summary_of(section, fields)

    def clean(self) -> dict[str, Any]:
        """Build the agent."""
        values = self.cleaned_data
        return values if self.errors else {"agent": self.build(Agent, values)}


class CueForm(PartForm):
    """One cue: its condition, and the answer, tool call or handoff of the scripted agent."""

    when = ListField(
        rows=2,
        label="When the message says",
        help_text="One word or phrase per line. Leave empty to match any message.",
    )
    say = ProseField(rows=2)
    call_tool = ToolNameField(label="Call the tool")
    call_arguments = JsonField(
        dict[str, Any], rows=2, label="With the arguments", empty="{}", help_text="A JSON object."
    )
    hand_over_to = forms.CharField(
        label="Hand over to",
        required=False,
        max_length=120,
        help_text="An agent's id or name, an alias, a stage, or human.",
    )
    hand_over_phase = KeyField(label="In the stage", required=False)
    hand_over_reason = forms.CharField(label="Reason", required=False, max_length=500)
    hand_over_summary = forms.CharField(
        label="Summary", required=False, max_length=500, strip=False
    )
    hand_over_arguments = JsonField(
        dict[str, Any],
        rows=2,
        label="With the values",
        empty="{}",
        help_text="A JSON object with the fields of a typed handoff.",
    )
    in_phase = KeyField(label="Only in the stage", required=False)
    after_handoff_from = KeyField(label="Only after a handoff from", required=False)

    @property
    def says_more(self) -> bool:
        """Report whether one of the rarely used fields is in use."""
        rare = list(self.fields)[list(self.fields).index("hand_over_phase") :]
        return any(self[name].value() for name in rare)

    @staticmethod
    def values(cue: Cue) -> dict[str, Any]:
        """Return the values of a cue for the fields."""
        call, hand_over = cue.call, cue.hand_over
        return {
            "when": cue.when,
            "say": cue.say,
            "call_tool": call.tool if call else "",
            "call_arguments": call.arguments if call and call.arguments else "",
            "hand_over_to": hand_over.target if hand_over else "",
            "hand_over_phase": (hand_over.phase or "") if hand_over else "",
            "hand_over_reason": hand_over.reason if hand_over else "",
            "hand_over_summary": hand_over.summary if hand_over else "",
            "hand_over_arguments": (hand_over.arguments or "") if hand_over else "",
            "in_phase": cue.in_phase or "",
            "after_handoff_from": cue.after_handoff_from or "",
        }

    def clean(self) -> dict[str, Any]:
        """Require a tool for arguments, and a target for the details of a handoff."""
        values = self.cleaned_data
        if values.get("call_arguments") and not values.get("call_tool"):
            self.add_error("call_tool", "Name the tool to call with these arguments.")
        names = ("phase", "reason", "summary", "arguments")
        details = [f"hand_over_{name}" for name in names]
        if any(values.get(name) for name in details) and not values.get("hand_over_to"):
            self.add_error("hand_over_to", "Name the target of the handoff.")
        if not self.errors:
            cue = self._cue(values)
            values["part"] = None if cue == Cue() else cue
        return values

    def _cue(self, values: dict[str, Any]) -> Cue | None:
        call = values["call_tool"] and {
            "tool": values["call_tool"],
            "arguments": values["call_arguments"],
        }
        hand_over = values["hand_over_to"] and {
            "target": values["hand_over_to"],
            "phase": values["hand_over_phase"] or None,
            "reason": values["hand_over_reason"],
            "summary": values["hand_over_summary"],
            "arguments": values["hand_over_arguments"],
        }
        parts = {
            "when": values["when"],
            "say": values["say"],
            "call": call or None,
            "hand_over": hand_over or None,
            "in_phase": values["in_phase"] or None,
            "after_handoff_from": values["after_handoff_from"] or None,
        }
        return self.build(Cue, parts, names={"call": "call_tool", "hand_over": "hand_over_to"})


class CueForms(RowForms):
    """An agent's cues. An empty row is not saved. All rows share the lists of suggestions."""

    PREFIX = "cue"
    LISTS: ClassVar[Mapping[str, tuple[str, str]]] = {
        "hand_over_to": ("targets", "There is no agent, alias or stage"),
        "call_tool": ("agent_tools", "The agent has no tool"),
        "hand_over_phase": ("stages", "There is no stage"),
        "in_phase": ("served_stages", "The agent does not serve a stage"),
        "after_handoff_from": ("senders", "There is no agent"),
    }
    """Fields with suggestions: the kind of choices, and the beginning of the sentence that marks
    another value."""

    def add_fields(self, form: PartForm, index: int | None) -> None:
        """Let the fields of a row use the suggestions."""
        super().add_fields(form, index)
        token = self.auto_id.removesuffix("-%s")
        for name, (kind, unknown) in self.LISTS.items():
            form.use_suggestions(name, f"{token}-{kind}", unknown)


CUES: type[CueForms] = CueForms.of(CueForm, max_rows=MAX_CUES)


def cue_rows(cues: Iterable[Cue], token: str) -> CueForms:
    """Return the rows of an agent's cues."""
    return CUES.showing([CueForm.values(cue) for cue in cues], token)


def cue_lists(definition: PipelineDefinition, agent: Agent) -> list[PartChoices]:
    """Return the suggestions for the fields of an agent's cues."""
    return [part_choices(definition, kind, agent.id) for kind, _ in CueForms.LISTS.values()]
