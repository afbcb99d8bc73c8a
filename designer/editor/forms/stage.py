"""Forms of a stage and of a transition in the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from django import forms

from designer.core import (
    ExpressionField,
    KeyField,
    MultiPickField,
    PickField,
    PlaceholderField,
    ProseField,
    SectionedForm,
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
"""Value for a group in the choice of an agent. No agent can have this key."""

NEW_AGENT = ":new"
"""Value for a new agent in the choice of an agent. No agent can have this key."""


class StageForm(SectionedForm):
    """A stage: its phase, its agents and its outgoing transitions."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {"new_agent": f"{NEW_AGENT} {THE_GROUP}"}

    phase = KeyField(
        label="Stage name", help_text="Name used in routing rules and in the transcript."
    )
    agent_id = PickField(label="Agent")
    new_agent = PlaceholderField(label="Name of the new agent", max_length=120)
    group = GroupField(label="Members of the group")
    next_phase = PickField(label="Next stage")
    returns = MultiPickField(
        label="Branches and returns", help_text="Further transitions, onward or back."
    )
    add_return = PickField(label="Add a branch or return", has_hidden_label=True)
    description = ProseField(help_text="Part of the prompt of the stage's agents.")

    TOP: ClassVar = ("phase", "agent_id", "new_agent", "group")
    SECTIONS: ClassVar = {
        "Handoffs": ("next_phase", "returns", "add_return"),
        "Prompt": ("description",),
    }
    OPEN: ClassVar = frozenset(SECTIONS)
    PATHS: ClassVar[dict[str, str]] = {"kind": "agent_id", "group": "group"}
    """Field that shows the issues of a path of the stage."""

    @classmethod
    def showing(cls, definition: PipelineDefinition, stage: Stage, **options: Any) -> Self:
        """Return the form of a saved stage."""
        transitions = definition.transitions_from.get(stage.phase, ())
        next_phase = next((t.target for t in transitions if t.kind == "next"), "")
        returns = [t.target for t in transitions if t.kind == "return"]
        form = cls(
            initial={
                "phase": stage.phase,
                "agent_id": _agent_choice(stage),
                "group": submitted_group(stage.group),
                "next_phase": next_phase,
                "returns": returns,
                "description": stage.description,
            },
            **options,
        )
        no_agent = [("", "Choose…")] if stage.kind == "agent" else []
        others = [
            (NEW_AGENT, "New agent…"), (THE_GROUP, "A group of agents"), (HUMAN, "The human")
        ]  # fmt: skip
        form.set_part_choices(
            "agent_id", part_choices(definition, "agents"), before=no_agent, after=others
        )
        no_next = [("", _NO_NEXT[definition.topology])]
        form.set_part_choices("next_phase", part_choices(definition, "stages"), before=no_next)
        form.set_choices("returns", [(phase, phase) for phase in returns])
        unreached = part_choices(definition, "unreached", stage.phase)
        form.set_part_choices("add_return", unreached, before=[("", "+ add")])
        for name, (label, help_text) in _TARGET_TEXTS[definition.topology].items():
            form.fields[name].label, form.fields[name].help_text = label, help_text
        form.hide(*_unused(definition, stage.phase, next_phase, returns))
        return form

    def summary_of(self, section: str, fields: list[forms.BoundField]) -> str:
        """Return the values of a section in a few words: the targets, or the description."""
        if section == "Prompt":
            return "" if self["description"].value() else "empty"
        targets = [self["next_phase"].value(), *(self["returns"].value() or ())]
        return ", ".join(str(target) for target in targets if target) or "none"

    def clean(self) -> dict[str, Any]:
        """Set the kind, and the returns with the added one and without `next`.

        The stage keeps its agents until the new agent has a name.
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
        """Return the fields of a new agent without a name."""
        is_unnamed = self["agent_id"].value() == NEW_AGENT and not self["new_agent"].value()
        return {"agent_id", "new_agent"} if is_unnamed else set()

    @property
    def values(self) -> dict[str, Any]:
        """Return the values of a valid form for the action."""
        names = ("phase", "kind", "new_agent", "group", "returns", "description")
        choices = {name: self.cleaned_data[name] or None for name in ("agent_id", "next_phase")}
        return choices | {name: self.cleaned_data[name] for name in names}


def _agent_choice(stage: Stage) -> str:
    """Return the value of the field `agent_id` for a stage."""
    match stage.kind:
        case "agent":
            return stage.agent_id or ""
        case "group":
            return THE_GROUP
        case "human":
            return HUMAN


_TARGET_TEXTS: dict[Topology, dict[str, tuple[str, str]]] = {
    "pipeline": {},
    "swarm": {},
    "workflow": {
        "next_phase": ("Next stage", "It receives the answer of this stage."),
        "returns": ("Branches and returns", "A workflow follows only the next stage."),
    },
    "team": {
        "next_phase": ("Delegates to", "In a team, only the entry delegates."),
        "returns": ("Also delegates to", ""),
        "add_return": ("Add a stage it delegates to", ""),
    },
}
"""Labels and help texts of a stage's targets."""

_NO_NEXT: dict[Topology, str] = {
    "pipeline": "None: it may end here",
    "swarm": "None: it may end here",
    "workflow": "None: its answer is the reply",
    "team": "None",
}
"""Help texts for a stage without a next stage."""


def _unused(
    definition: PipelineDefinition, phase: str, next_phase: str, returns: Sequence[str]
) -> set[str]:
    """Return the empty fields of transitions that the topology never takes."""
    if definition.topology == "workflow":
        return {"add_return"} if returns else {"add_return", "returns"}
    if definition.topology == "team" and phase != definition.entry and not (next_phase or returns):
        return {"next_phase", "returns", "add_return"}
    return set()


KEEPS = (
    ("full", "Everything"),
    ("last", "The last messages"),
    ("summary", "Only the question and the summary"),
    ("no_tools", "Everything except tool calls and their results"),
    ("matching", "The messages that match a condition"),
)


class TransitionForm(SectionedForm):
    """A transition: its kind, its description and its input filter."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {"count": "last", "expression": "matching"}

    kind = forms.ChoiceField(
        choices=[("next", "Next: onward"), ("return", "Return: another target, or back")],
        help_text="A stage has one next; making this one next turns the other into a return.",
    )
    description = forms.CharField(
        label="When to take it",
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Part of the handoff tool that the model sees.",
    )
    keep = forms.ChoiceField(label="Shown messages", choices=KEEPS)
    count = forms.IntegerField(label="Number of messages", min_value=1, max_value=1_000)
    expression = ExpressionField(FILTER_VARIABLES)

    TOP: ClassVar = ("kind", "description")
    SECTIONS: ClassVar = {"Messages for the target": ("keep", "count", "expression")}
    PATHS: ClassVar[dict[str, str]] = {"input_filter.expression": "expression"}
    """Field that shows the issues of a path of the transition."""

    @classmethod
    def showing(
        cls, definition: PipelineDefinition, transition: Transition, **options: Any
    ) -> Self:
        """Return the form of a saved transition."""
        initial = {"kind": transition.kind, "description": transition.description}
        form = cls(initial=initial | transition.input_filter.model_dump(), **options)
        if isinstance(expression := form.fields["expression"], ExpressionField):
            expression.offer_declared(definition.variables)
        texts = _DESCRIPTION_TEXTS.get(definition.topology)
        if texts is None and definition.stages_by_phase[transition.source].kind != "agent":
            texts = _FOR_PEOPLE
        if texts is not None:
            form.fields["description"].label, form.fields["description"].help_text = texts
        if definition.topology == "team":
            form.hide("kind")
        return form

    def summary_of(self, section: str, fields: list[forms.BoundField]) -> str:
        """Return the choice of messages."""
        return dict(KEEPS).get(str(self["keep"].value()), "").lower()

    def clean(self) -> dict[str, Any]:
        """Build the filter, without the fields that its kind does not use."""
        values = self.cleaned_data
        unused = self.drop_unused(values.get("keep"))
        if self.errors:
            return values
        names = {"keep", *self.ONLY_FOR} - unused
        input_filter = self.build(InputFilter, {name: values[name] for name in names})
        return {
            "kind": values["kind"],
            "description": values["description"],
            "input_filter": input_filter,
        }


_FOR_PEOPLE = ("Description", "For people; models do not read it.")
"""Texts of a transition that no model takes: that of a group or a human, and of a workflow."""

_DESCRIPTION_TEXTS: dict[Topology, tuple[str, str]] = {
    "workflow": _FOR_PEOPLE,
    "team": ("Task to delegate", "Part of the tool that the lead uses to delegate."),
}
"""Label and help text of a transition's description in topologies without handoffs."""
