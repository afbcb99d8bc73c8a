"""Forms of the gestures on the canvas: `templates/editor/page/_gestures.html`."""

from __future__ import annotations

from typing import Any, Literal

from django import forms

from designer.core import JsonField, KeyField, PartForm, PickField, WordedForm
from orchestration.definition import (
    MAX_NOTES,
    MAX_STAGES,
    MAX_TRANSITIONS,
    Coordinate,
    Frozen,
    Key,
    Position,
)


class Move(Frozen):
    """New position of one stage."""

    phase: Key
    x: Coordinate
    y: Coordinate


class NoteMove(Frozen):
    """New position of one note."""

    note: Key
    x: Coordinate
    y: Coordinate


OUT = ":out"
"""Value for "no frame". No frame can have this key."""


class MoveStagesForm(WordedForm):
    """Stages and notes, their new places, and the frame that the stages are put in."""

    moves = JsonField(list[Move], empty="[]", max_length=400_000)
    notes = JsonField(list[NoteMove], empty="[]", max_length=100_000)
    frame = PickField()
    by_keys = forms.BooleanField(required=False)
    how = forms.ChoiceField(required=False, choices=[("align", "Align"), ("distribute", "Space")])

    def clean_moves(self) -> dict[str, Position]:
        """Places by phase; of two for one stage the last."""
        moves: list[Move] = self.cleaned_data["moves"]
        if len(moves) > MAX_STAGES:
            raise forms.ValidationError("That is more than a pipeline can hold.")
        return {move.phase: Position(x=move.x, y=move.y) for move in moves}

    def clean_notes(self) -> dict[str, Position]:
        """Places by the notes' ids; of two for one note the last."""
        moves: list[NoteMove] = self.cleaned_data["notes"]
        if len(moves) > MAX_NOTES:
            raise forms.ValidationError("That is more than a pipeline can hold.")
        return {move.note: Position(x=move.x, y=move.y) for move in moves}

    def clean_frame(self) -> str | Literal[False] | None:
        """The key of a frame; None: out of any, False: as it is."""
        named: str = self.cleaned_data["frame"]
        return None if named == OUT else named or False

    def clean(self) -> dict[str, Any]:
        """At least one of them."""
        values = self.cleaned_data
        if not self.errors and not values["moves"] and not values["notes"]:
            raise forms.ValidationError("Name at least one stage or note to move.")
        return values


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
    """New position of the supervisor's card."""

    x = forms.FloatField()
    y = forms.FloatField()


class AddStageForm(PlaceForm):
    """A stage to be: where, served by whom, reached from which."""

    source = PickField()
    agent = PickField()
    kind = forms.ChoiceField(
        choices=[("agent", "An agent"), ("group", "A group"), ("human", "The human")]
    )


class CreateStageForm(PlaceForm):
    """A stage to be, reached from `source` if from any; with a `target`, between the two."""

    x = forms.FloatField()
    y = forms.FloatField()
    source = PickField()
    target = PickField()
    agent = PickField()
    name = forms.CharField(required=False, max_length=120)
    kind = forms.ChoiceField(
        choices=[
            ("agent", "An agent"),
            ("new", "A new agent"),
            ("group", "A group"),
            ("human", "The human"),
        ]
    )


class ServeForm(WordedForm):
    """A stage, and the agent that is to serve it."""

    stage = KeyField()
    agent = KeyField()


class ConnectForm(WordedForm):
    """Two stages."""

    source = KeyField()
    target = KeyField()


class ReconnectForm(ConnectForm):
    """One end of a transition, and the stage that it is to be at."""

    end = forms.ChoiceField(choices=[("source", "Its start"), ("target", "Its end")])
    stage = KeyField()


class InsertStageForm(PlaceForm):
    """A stage, the transition in which it is to stand, and where that is drawn."""

    stage = KeyField()
    source = KeyField()
    target = KeyField()


class DeleteForm(WordedForm):
    """Stages by phase, transitions, notes and frames by key."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    transitions = JsonField(list[str], empty="[]", max_length=1_200_000)
    notes = JsonField(list[str], empty="[]", max_length=50_000)
    frames = JsonField(list[str], empty="[]", max_length=50_000)

    def clean(self) -> dict[str, Any]:
        """At least one of them."""
        values = self.cleaned_data
        stages, transitions = values.get("stages", []), values.get("transitions", [])
        paper = [*values.get("notes", []), *values.get("frames", [])]
        if not self.errors and not stages and not transitions and not paper:
            raise forms.ValidationError("Nothing is selected.")
        if len(stages) > MAX_STAGES or len(transitions) > MAX_TRANSITIONS:
            raise forms.ValidationError("That is more than a pipeline can hold.")
        return values


class RenameStageForm(WordedForm):
    """A stage, and what it is to be called."""

    phase = KeyField()
    name = KeyField(error_messages={"required": "A stage needs a name."})


class TidyForm(WordedForm):
    """The stages to tidy by their phases; none: all of them."""

    stages = JsonField(list[Key], empty="[]", max_length=200_000)

    def clean_stages(self) -> list[str]:
        """No more of them than there can be."""
        stages: list[str] = self.cleaned_data["stages"]
        if len(stages) > MAX_STAGES:
            raise forms.ValidationError("That is more than a pipeline can hold.")
        return stages


class AddAgentForm(WordedForm):
    """A new agent's name, or none."""

    name = forms.CharField(required=False, max_length=120)
