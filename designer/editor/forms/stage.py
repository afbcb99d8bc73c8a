"""Forms of a stage and of a transition in the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from django import forms

from designer.core import (
    ExpressionField,
    KeyField,
    PartForm,
    PickField,
    PicksField,
    PlaceholderField,
    ProseField,
    part_choices,
)
from designer.editor.forms.group import GroupField, submitted_group
from orchestration.definition import (
    HUMAN,
    InputFilter,
    PipelineDefinition,
    Stage,
    Topology,
    Transition,
)
from orchestration.routing import FILTER_VARIABLES

THE_GROUP = ":group"
"""The choice among agents that means several of them. No agent can have this key."""


NEW_AGENT = ":new"
"""The choice among agents that means one that is yet to be named. No agent can have this key."""


class StageForm(PartForm):
    """A stage: its phase, who serves it, where it leads."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {"new_agent": f"{NEW_AGENT} {THE_GROUP}"}

    phase = KeyField(help_text="Name used in routing rules and in the transcript.")
    agent_id = PickField(label="Agent")
    new_agent = PlaceholderField(label="Name of the new agent", max_length=120)
    group = GroupField(label="Members of the group")
    next_phase = PickField(label="Next stage")
    returns = PicksField(
        label="Branches and returns", help_text="Ways on beside the next: onward, or back."
    )
    add_return = PickField(label="Add a branch or return", has_hidden_label=True)
    description = ProseField(help_text="Part of the prompt of whoever serves the stage.")

    PATHS: ClassVar[dict[str, str]] = {"kind": "agent_id", "group": "group"}
    """Field that shows the issues of a path of the stage."""

    @classmethod
    def showing(cls, definition: PipelineDefinition, stage: Stage, **options: Any) -> Self:
        """The form of a stage as it is."""
        ways = definition.transitions_from.get(stage.phase, ())
        onward = next((way.target for way in ways if way.kind == "next"), "")
        returns = [way.target for way in ways if way.kind == "return"]
        form = cls(
            initial={
                "phase": stage.phase,
                "agent_id": _chosen(stage),
                "group": submitted_group(stage.group),
                "next_phase": onward,
                "returns": returns,
                "description": stage.description,
            },
            **options,
        )
        nobody = [("", "Choose…")] if stage.kind == "agent" else []
        others = [
            (NEW_AGENT, "New agent…"), (THE_GROUP, "A group of agents"), (HUMAN, "The human")
        ]  # fmt: skip
        form.set_part_choices(
            "agent_id", part_choices(definition, "agents"), before=nobody, after=others
        )
        no_next = [("", _NO_NEXT[definition.topology])]
        form.set_part_choices("next_phase", part_choices(definition, "stages"), before=no_next)
        form.set_choices("returns", [(phase, phase) for phase in returns])
        left = part_choices(definition, "unreached", stage.phase)
        form.set_part_choices("add_return", left, before=[("", "+ add")])
        for name, (label, help_text) in _WAYS[definition.topology].items():
            form.fields[name].label, form.fields[name].help_text = label, help_text
        form.hide(*_useless(definition, stage.phase, onward, returns))
        return form

    def clean(self) -> dict[str, Any]:
        """Set the server, and the returns with the added one and without `next`.

        Until a new agent has a name, whoever serves the stage goes on doing so.
        """
        values = self.cleaned_data
        kinds: dict[str, str | None] = {HUMAN: "human", THE_GROUP: "group", NEW_AGENT: None}
        kind = kinds.get(values.get("agent_id", ""), "agent")
        if kind != "group" and values.get("new_agent"):
            kind = "agent"
        returns = dict.fromkeys(values.get("returns", ()))
        if added := values.get("add_return"):
            returns[added] = None
        returns.pop(values.get("next_phase") or "", None)
        return values | {"returns": tuple(returns), "kind": kind}

    @property
    def unfinished(self) -> set[str]:
        """A new agent has no name yet."""
        is_unnamed = self["agent_id"].value() == NEW_AGENT and not self["new_agent"].value()
        return {"agent_id", "new_agent"} if is_unnamed else set()

    @property
    def values(self) -> dict[str, Any]:
        """The stage as it is to be, once the form is valid."""
        names = ("phase", "kind", "new_agent", "group", "returns", "description")
        picked = {name: self.cleaned_data[name] or None for name in ("agent_id", "next_phase")}
        return picked | {name: self.cleaned_data[name] for name in names}


def _chosen(stage: Stage) -> str:
    """Return the option that stands for the stage's server."""
    match stage.kind:
        case "agent":
            return stage.agent_id or ""
        case "group":
            return THE_GROUP
        case "human":
            return HUMAN


_WAYS: dict[Topology, dict[str, tuple[str, str]]] = {
    "pipeline": {},
    "swarm": {},
    "workflow": {
        "next_phase": ("Next stage", "It is given this stage's answer."),
        "returns": ("Branches and returns", "A workflow follows the next stage alone."),
    },
    "team": {
        "next_phase": ("Delegates to", "Of a team only the entry delegates."),
        "returns": ("Delegates to as well", ""),
        "add_return": ("Add a stage it delegates to", ""),
    },
}
"""Labels and help texts of a stage's targets."""

_NO_NEXT: dict[Topology, str] = {
    "pipeline": "None: the conversation may end here",
    "swarm": "None: the conversation may end here",
    "workflow": "None: its answer is the reply",
    "team": "Nobody",
}
"""Help texts for a stage without a next stage."""


def _useless(
    definition: PipelineDefinition, phase: str, onward: str, returns: Sequence[str]
) -> set[str]:
    """The fields of ways that the topology never takes, where they say nothing either."""
    if definition.topology == "workflow":
        return {"add_return"} if returns else {"add_return", "returns"}
    if definition.topology == "team" and phase != definition.entry and not (onward or returns):
        return {"next_phase", "returns", "add_return"}
    return set()


KEEPS = (
    ("full", "Everything"),
    ("last", "The last messages"),
    ("summary", "The question and the summary alone"),
    ("no_tools", "Everything but tools' calls and results"),
    ("matching", "The messages that match a condition"),
)


class TransitionForm(PartForm):
    """A transition: its kind, when to take it, and what its target is shown."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {"count": "last", "expression": "matching"}

    kind = forms.ChoiceField(
        choices=[("next", "Next: the way on"), ("return", "Return: another way, or back")],
        help_text="A stage has one next; making this one next turns the other into a return.",
    )
    description = forms.CharField(
        label="When to take it",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Part of the handoff tool that the model sees.",
    )
    keep = forms.ChoiceField(label="What the target is shown", choices=KEEPS)
    count = forms.IntegerField(label="How many messages", min_value=1, max_value=1_000)
    expression = ExpressionField(FILTER_VARIABLES)

    PATHS: ClassVar[dict[str, str]] = {"input_filter.expression": "expression"}
    """Field that shows the issues of a path of the transition."""

    @classmethod
    def showing(cls, definition: PipelineDefinition, way: Transition, **options: Any) -> Self:
        """The form of a transition as it is."""
        shown = {"kind": way.kind, "description": way.description}
        form = cls(initial=shown | way.input_filter.model_dump(), **options)
        if words := _WORDS.get(definition.topology):
            form.fields["description"].label, form.fields["description"].help_text = words
        if definition.topology == "team":
            form.hide("kind")
        return form

    def clean(self) -> dict[str, Any]:
        """The filter as a part. What its kind has no use for is left out."""
        values = self.cleaned_data
        idle = self.drop_unused(values.get("keep"))
        if self.errors:
            return values
        names = {"keep", *self.ONLY_FOR} - idle
        input_filter = self.build(InputFilter, {name: values[name] for name in names})
        return {
            "kind": values["kind"],
            "description": values["description"],
            "input_filter": input_filter,
        }


_WORDS: dict[Topology, tuple[str, str]] = {
    "workflow": ("Description", "For people: no model is asked whether to go on."),
    "team": ("What to delegate", "Part of the tool by which the lead delegates."),
}
"""Label and reader of a transition's description in modes without handoffs."""
