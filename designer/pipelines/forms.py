"""Forms for the name and the settings of a pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from django import forms
from django.utils.html import format_html

from designer.canvas import ACTION_WORDS, POINT_WORDS
from designer.core import (
    BatonForm,
    CheckListField,
    DefinitionFileForm,
    ListField,
    PickField,
    ProseField,
    SectionedForm,
    ToolNameField,
    part_choices,
)
from designer.definitions import Settings
from orchestration.definition import (
    KEY_PATTERN,
    MAX_VARIABLE_NAME,
    MAX_VARIABLE_VALUE,
    MAX_VARIABLES,
    NEW_SUPERVISION,
    VARIABLE_PATTERN,
    Limits,
    PipelineDefinition,
    Supervision,
    Topology,
)
from orchestration.handoff import HANDOFF_TOOL_NAME, SWARM_TOOL_NAME


class ImportForm(DefinitionFileForm):
    """Form with a file, or with its text."""

    text = forms.CharField(
        label="Or paste its text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "dir": "ltr"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].required = False

    def clean_file(self) -> Any:
        """Reject a file that is too large before reading it."""
        return super().clean_file() if self.cleaned_data["file"] else None

    def clean(self) -> dict[str, Any]:
        """Require a file or a text."""
        data = self.cleaned_data
        if not self.errors and data["file"] is None and not data["text"].strip():
            self.add_error("file", "Choose a file, or paste its text.")
        return data

    @property
    def document(self) -> tuple[str, bytes | str]:
        """The name and the content of the document."""
        file = self.cleaned_data["file"]
        if file is None:
            return "Pasted text", self.cleaned_data["text"]
        return file.name, file.read()


class NameForm(BatonForm):
    """Form with the name of a pipeline."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the pipeline a name."},
    )


TOPOLOGIES: dict[Topology, tuple[str, str]] = {
    "pipeline": ("Pipeline", "Agents hand the conversation over along the transitions."),
    "workflow": ("Workflow", "The answer of each stage is the input of the next stage."),
    "team": ("Team", "The agent of the entry delegates to the other agents and answers."),
    "swarm": ("Swarm", "Agents hand over to each other; a cycle ends the run."),
}
"""Labels and help texts of the collaboration modes."""

HANDOFF_TOPOLOGIES = "pipeline swarm"
"""Topologies with handoffs between agents."""


class TopologyRadios(forms.RadioSelect):
    """Radio buttons in one row, each with a picture, and a sentence about the chosen one."""

    sentences = tuple((key, sentence) for key, (_, sentence) in TOPOLOGIES.items())
    """A sentence about each topology."""


def _shown(limit: Any) -> Any:
    """Return a limit as its field shows it: a whole number without decimal places."""
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


class SettingsForm(SectionedForm):
    """Settings of a pipeline, shown when no part is selected."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (
            "default_agent_id",
            "on_handoff",
            "handoff_tool_name",
            "allow_human",
            "max_handoffs",
            "count_handoffs",
            "detect_cycles",
            "aliases",
        ),
        HANDOFF_TOPOLOGIES,
    )

    TOP: ClassVar = ("name", "entry", "topology", "description", "supervisor_id")
    SECTIONS: ClassVar = {
        "Supervision": ("ask_at", "may", "supervisor_calls"),
        "Handoffs": (
            "on_handoff",
            "handoff_tool_name",
            "allow_human",
            "count_handoffs",
            "detect_cycles",
        ),
        "Limits of a run": ("max_turns", "max_handoffs", "max_context_tokens"),
        "Budget of a run": (
            "max_calls",
            "max_tokens",
            "max_cost",
            "max_seconds",
        ),
        "Variables and routing": ("variables", "default_agent_id", "aliases"),
    }

    name = forms.CharField(max_length=120)
    description = ProseField()
    topology = forms.ChoiceField(
        label="Collaboration",
        choices=[(key, name) for key, (name, _) in TOPOLOGIES.items()],
        widget=TopologyRadios,
    )
    entry = PickField(label="Entry", help_text="First stage of a conversation.")
    default_agent_id = PickField(
        label="Default agent", help_text="Answers if no routing rule matches."
    )
    supervisor_id = PickField(
        label="Supervising agent", help_text="Receives every event and never answers the user."
    )
    ask_at = CheckListField(
        label="When it is called",
        choices=[(point, words.label) for point, words in POINT_WORDS.items()],
        help_text="Choose none if it only observes: then its model is never called.",
    )
    may = CheckListField(
        label="Allowed actions",
        choices=[
            (action, format_html("{} <small>{}</small>", words.label, words.remark))
            for action, words in ACTION_WORDS.items()
        ],
    )
    supervisor_calls = forms.IntegerField(
        label="Maximum model calls in one run",
        required=False,
        min_value=1,
        max_value=1_000,
        help_text=(
            "After them the run continues without the supervisor. They also count towards the"
            " budget."
        ),
    )
    on_handoff = forms.ChoiceField(
        label="After a handoff",
        choices=[
            ("continue", "The target answers at once"),
            ("wait", "The target answers the next message"),
        ],
    )
    handoff_tool_name = ToolNameField(
        label="Handoff tool",
        help_text="Name of the tool shared by all handoffs without a payload.",
    )
    allow_human = forms.BooleanField(label="Any agent may hand over to the human", required=False)
    max_turns = forms.IntegerField(
        label="Turns",
        min_value=1,
        max_value=1_000,
        help_text="A run answers one message, so the next message has all turns again.",
    )
    max_handoffs = forms.IntegerField(label="Handoffs", min_value=0, max_value=1_000)
    max_context_tokens = forms.IntegerField(
        label="Context, in tokens", min_value=100, max_value=10_000_000
    )
    max_calls = forms.IntegerField(
        label="Model calls",
        min_value=1,
        max_value=100_000,
        help_text="With those of subtasks, which have limits but no budget of their own.",
    )
    max_tokens = forms.IntegerField(label="Tokens", min_value=1, max_value=1_000_000_000)
    max_cost = forms.FloatField(
        label="Cost, in dollars",
        required=False,
        min_value=0.0001,
        max_value=1_000_000,
        help_text="Leave empty for no limit. Calls without a price are not included.",
    )
    max_seconds = forms.FloatField(
        label="Work, in seconds",
        min_value=0.1,
        max_value=1_000_000,
        help_text="Waiting for a person is not included.",
    )
    count_handoffs = forms.ChoiceField(
        label="Count handoffs",
        choices=[
            ("completed", "When they are completed"),
            ("requested", "When they are requested"),
        ],
        help_text="If requests are counted, the last one is rejected.",
    )
    detect_cycles = forms.TypedChoiceField(
        label="Detect cycles",
        choices=[("", "Only in a swarm"), ("yes", "Always"), ("no", "Never")],
        coerce=lambda choice: choice == "yes",
        empty_value=None,
        required=False,
        help_text="End a run whose handoffs form a cycle.",
    )
    aliases = ListField(
        label="Aliases",
        help_text="Other names for handoff targets, one per line: billing = agent-b",
    )
    variables = ListField(
        label="Variables",
        help_text="Names with their default values, one per line: customer.name = Ada. Instructions"
        " use {{customer.name}}, conditions variables.customer.name.",
    )

    DEFAULTS: ClassVar = {
        **{name: _shown(limit) for name, limit in Limits()},
        "detect_cycles": "",
        "on_handoff": "continue",
        "ask_at": list(NEW_SUPERVISION.ask_at),
        "may": list(NEW_SUPERVISION.may),
        "supervisor_calls": NEW_SUPERVISION.max_calls,
    }

    @classmethod
    def showing(cls, definition: PipelineDefinition, **options: Any) -> Self:
        """Return the form of a pipeline."""
        form = cls(
            initial={
                **{name: _shown(limit) for name, limit in definition.limits},
                "detect_cycles": _CYCLES[definition.limits.detect_cycles],
                "name": definition.name,
                "description": definition.description,
                "topology": definition.topology,
                "entry": definition.entry or "",
                "default_agent_id": definition.default_agent_id or "",
                "supervisor_id": definition.supervisor_id or "",
                **_supervision_values(definition.supervision),
                "on_handoff": definition.on_handoff,
                "handoff_tool_name": definition.handoff_tool_name,
                "allow_human": definition.allow_human,
                "aliases": [f"{alias} = {target}" for alias, target in definition.aliases.items()],
                "variables": [
                    f"{name} = {value}".rstrip() for name, value in definition.variables.items()
                ],
            },
            **options,
        )
        for name, kind, none in (
            ("entry", "stages", "None yet"),
            ("default_agent_id", "agents", "The agent of the entry"),
            ("supervisor_id", "agents", "No supervisor"),
        ):
            form.set_part_choices(name, part_choices(definition, kind), before=[("", none)])
        if definition.default_agent_id:  # always shown, so that it can be removed
            del form.fields["default_agent_id"].widget.attrs["data-only"]
        default = SWARM_TOOL_NAME if definition.topology == "swarm" else HANDOFF_TOOL_NAME
        form.fields["handoff_tool_name"].widget.attrs["placeholder"] = default
        return form

    def clean_aliases(self) -> dict[str, str]:
        """Parse lines of the form `alias = target`."""
        aliases: dict[str, str] = {}
        for line in self.cleaned_data["aliases"]:
            alias, _, target = (part.strip() for part in line.partition("="))
            if not re.match(KEY_PATTERN, alias) or not re.match(KEY_PATTERN, target):
                raise forms.ValidationError(f"“{line[:60]}” is not of the form alias = target.")
            if alias in aliases:
                raise forms.ValidationError(f"The alias “{alias}” is listed twice: remove one.")
            aliases[alias] = target
        return aliases

    def clean_variables(self) -> dict[str, str]:
        """Parse lines of the form `name = default value`."""
        variables: dict[str, str] = {}
        for line in self.cleaned_data["variables"]:
            name, sign, value = (" ".join(part.split()) for part in line.partition("="))
            if not sign and " " in name:
                first, rest = name.split(" ", 1)
                raise forms.ValidationError(
                    f"“{line[:60]}” has no “=” after the name: write {first[:30]} = {rest[:30]}."
                )
            if len(name) > MAX_VARIABLE_NAME or not re.match(VARIABLE_PATTERN, name):
                raise forms.ValidationError(
                    f"“{line[:60]}” does not begin with the name of a variable: use letters, digits"
                    " and “_”, in parts with a dot, such as customer.name = Ada."
                )
            if name in variables:
                raise forms.ValidationError(f"The variable “{name}” is listed twice: remove one.")
            if len(value) > MAX_VARIABLE_VALUE:
                raise forms.ValidationError(
                    f"The value of “{name}” has {len(value):,} characters; "
                    f"{MAX_VARIABLE_VALUE} are allowed."
                )
            variables[name] = value
        if len(variables) > MAX_VARIABLES:
            raise forms.ValidationError(f"At most {MAX_VARIABLES} variables are allowed.")
        return variables

    def clean(self) -> dict[str, Any]:
        """Build the settings from all fields."""
        values = dict(self.cleaned_data)
        self.drop_unused(values.get("topology"))
        if not values.get("supervisor_id"):
            for name in _SUPERVISION.values():
                self.errors.pop(name, None)
        if not self.errors:
            _gather_supervision(values)
            names = Limits.model_fields.keys() & values.keys()
            values["limits"] = Limits(**{name: values.pop(name) for name in names})
            for name in ("entry", "default_agent_id", "supervisor_id"):
                values[name] = values.get(name) or None
            values = {"settings": self.build(Settings, values)}
        return values


_SUPERVISION = {"ask_at": "ask_at", "may": "may", "max_calls": "supervisor_calls"}
"""Form field of each field of a supervision. The limits of a run have a field `max_calls` too."""


def _supervision_values(supervision: Supervision | None) -> dict[str, Any]:
    """Return the initial values of the supervision's fields."""
    shown = supervision or Supervision()
    return {field: getattr(shown, name) for name, field in _SUPERVISION.items()}


def _gather_supervision(values: dict[str, Any]) -> None:
    """Replace the values of the supervision's fields by the supervision; None if all are empty.

    Without a supervisor the fields are hidden, and the supervision stays as it is.
    """
    parts = {name: values.pop(field, None) for name, field in _SUPERVISION.items()}
    if values.get("supervisor_id"):
        chosen = Supervision(**{name: part for name, part in parts.items() if part})
        values["supervision"] = None if chosen == Supervision() else chosen


_CYCLES = {None: "", True: "yes", False: "no"}
