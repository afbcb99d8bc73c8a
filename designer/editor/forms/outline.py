"""Forms of the outline."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import BatonForm, KeyField, PickField
from designer.editor.forms.canvas import MoveSupervisorForm


class StageDescriptionForm(BatonForm):
    """A new stage in words: its phase, its agent, and the stage that leads to it."""

    phase = KeyField(label="Stage name")
    served_by = forms.CharField(label="Served by", required=False, max_length=120)
    kind = forms.ChoiceField(
        label="Kind",
        choices=[("agent", "An agent"), ("group", "A group"), ("human", "The human")],
    )
    source = PickField(label="Reached from")

    def clean(self) -> dict[str, Any]:
        """Refuse an agent for a stage of the human."""
        values = self.cleaned_data
        if values.get("kind") == "human" and values.get("served_by"):
            self.add_error("served_by", "The human serves this stage: leave the agent empty.")
        return values


class StagePositionForm(MoveSupervisorForm):
    """A stage and the new position of its card."""

    stage = KeyField(label="Stage")


class EntryForm(BatonForm):
    """The new entry."""

    entry = KeyField()
