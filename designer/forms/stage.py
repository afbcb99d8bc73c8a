"""What the inspector sends about a stage or a transition."""

from __future__ import annotations

from typing import Any, Self

from django import forms

from designer.forms.fields import KeyField, PartForm, PickField, PicksField, ProseField
from orchestration.definition import HUMAN, PipelineDefinition, Stage, Transition

THE_GROUP = ":group"
"""The choice among agents that keeps a stage's group. No agent can have this key."""


class NewNameField(forms.CharField):
    """The name of something that is made with it."""

    has_hidden_label = True

    def __init__(self, *, label: str) -> None:
        attrs = {"placeholder": label, "autocomplete": "off"}
        super().__init__(
            label=label, required=False, max_length=120, widget=forms.TextInput(attrs=attrs)
        )


class StageForm(PartForm):
    """A stage: its phase, who serves it, where it leads."""

    phase = KeyField(help_text="Name used in routing rules and in the transcript.")
    agent_id = PickField(label="Agent")
    new_agent = NewNameField(label="Or a new agent")
    next_phase = PickField(label="Next stage")
    returns = PicksField(label="Can return to")
    add_return = PickField(label="Add a stage it can return to", has_hidden_label=True)
    description = ProseField(help_text="Part of the prompt of whoever serves the stage.")

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
                "next_phase": onward,
                "returns": returns,
                "description": stage.description,
            },
            **options,
        )
        phases = [(phase, phase) for phase in definition.stages_by_phase]
        agents = [(agent.id, agent.name) for agent in definition.agents]
        left = [pair for pair in phases if pair[0] not in {*returns, onward}]
        group = [(THE_GROUP, _group_name(stage))] if stage.kind == "group" else [("", "Choose…")]
        form.offer("agent_id", [*group, *agents, (HUMAN, "The human")])
        form.offer("next_phase", [("", "None: the conversation may end here"), *phases])
        form.offer("returns", [(phase, phase) for phase in returns])
        form.offer("add_return", [("", "+ add"), *left])
        return form

    def clean(self) -> dict[str, Any]:
        """Who serves; and ways back with the one to add, without the one that is next."""
        values = self.cleaned_data
        kinds = {HUMAN: "human", THE_GROUP: "group"}
        kind = (
            "agent" if values.get("new_agent") else kinds.get(values.get("agent_id", ""), "agent")
        )
        returns = dict.fromkeys(values.get("returns", ()))
        if added := values.get("add_return"):
            returns[added] = None
        returns.pop(values.get("next_phase") or "", None)
        return values | {"returns": tuple(returns), "kind": kind}


def _chosen(stage: Stage) -> str:
    """What stands for whoever serves the stage among the choices."""
    match stage.kind:
        case "agent":
            return stage.agent_id or ""
        case "group":
            return THE_GROUP
        case "human":
            return HUMAN


def _group_name(stage: Stage) -> str:
    return f"The group of {len(stage.agent_ids)}" if stage.group else "A group of nobody yet"


class TransitionForm(PartForm):
    """A transition: its kind, and when to take it."""

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

    @classmethod
    def showing(cls, transition: Transition, **options: Any) -> Self:
        """The form of a transition as it is."""
        return cls(
            initial={"kind": transition.kind, "description": transition.description}, **options
        )
