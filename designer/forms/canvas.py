"""What the gestures on the canvas send: `templates/editor/_gestures.html`."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.forms.fields import JsonField, KeyField, PartForm, PickField
from orchestration.definition import MAX_STAGES, MAX_TRANSITIONS, Coordinate, Frozen, Key, Position


class Move(Frozen):
    """Where one stage is to stand."""

    phase: Key
    x: Coordinate
    y: Coordinate


class MoveStagesForm(forms.Form):
    """Stages and their new places."""

    moves = JsonField(list[Move], max_length=400_000)

    def clean_moves(self) -> dict[str, Position]:
        """Places by phase; of two for one stage the last."""
        moves: list[Move] = self.cleaned_data["moves"]
        if not 1 <= len(moves) <= MAX_STAGES:
            raise forms.ValidationError("Name at least one stage to move.")
        return {move.phase: Position(x=move.x, y=move.y) for move in moves}


class PlaceForm(PartForm):
    """One place on the canvas. Its cleaned `at` is None where neither number is given."""

    x = forms.FloatField(required=False)
    y = forms.FloatField(required=False)

    def clean(self) -> dict[str, Any]:
        """Both numbers, or neither."""
        values = self.cleaned_data
        x, y = values.get("x"), values.get("y")
        if self.errors or (x is None and y is None):
            return values | {"at": None}
        return values | {"at": self.build(Position, {"x": x, "y": y})}


class MoveSupervisorForm(PlaceForm):
    """Where the supervisor's card is to stand."""

    x = forms.FloatField()
    y = forms.FloatField()


class AddStageForm(PlaceForm):
    """A stage to be: where, served by whom, reached from which."""

    source = PickField()
    agent = PickField()
    kind = forms.ChoiceField(
        choices=[("agent", "An agent"), ("group", "A group"), ("human", "The human")]
    )


class ConnectForm(forms.Form):
    """Two stages."""

    source = KeyField()
    target = KeyField()


class DeleteForm(forms.Form):
    """Stages by phase, transitions by key."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    transitions = JsonField(list[str], empty="[]", max_length=1_200_000)

    def clean(self) -> dict[str, Any]:
        """At least one of them."""
        values = self.cleaned_data
        stages, transitions = values.get("stages", []), values.get("transitions", [])
        if not self.errors and not stages and not transitions:
            raise forms.ValidationError("Nothing is selected.")
        if len(stages) > MAX_STAGES or len(transitions) > MAX_TRANSITIONS:
            raise forms.ValidationError("That is more than a pipeline can hold.")
        return values


class AddAgentForm(forms.Form):
    """A new agent's name, or none."""

    name = forms.CharField(required=False, max_length=120)
