"""Forms of the gestures on the canvas: `templates/editor/page/_gestures.html`."""

from __future__ import annotations

from typing import Any, Literal

from django import forms

from designer.canvas import USUAL_AREA, FreeArea
from designer.core import BatonForm, JsonField, KeyField, PartForm, PickField
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


NO_FRAME = ":out"
"""Value for "no frame". No frame can have this key."""

TOO_MANY = "These are more parts than a pipeline can have. Reload the page."


class StageMovesForm(BatonForm):
    """New positions of stages."""

    moves = JsonField(list[Move], empty="[]", max_length=400_000)

    def clean_moves(self) -> dict[str, Position]:
        """Return positions by phase. The last position of a stage applies."""
        moves: list[Move] = self.cleaned_data["moves"]
        if len(moves) > MAX_STAGES:
            raise forms.ValidationError(TOO_MANY)
        return {move.phase: Position(x=move.x, y=move.y) for move in moves}


class MoveStagesForm(StageMovesForm):
    """New positions of stages and notes, and the new frame of the stages."""

    notes = JsonField(list[NoteMove], empty="[]", max_length=100_000)
    frame = PickField()
    by_keys = forms.BooleanField(required=False)
    how = forms.ChoiceField(required=False, choices=[("align", "Align"), ("distribute", "Space")])

    def clean_notes(self) -> dict[str, Position]:
        """Return positions by the id of the note. The last position of a note applies."""
        moves: list[NoteMove] = self.cleaned_data["notes"]
        if len(moves) > MAX_NOTES:
            raise forms.ValidationError(TOO_MANY)
        return {move.note: Position(x=move.x, y=move.y) for move in moves}

    def clean_frame(self) -> str | Literal[False] | None:
        """Return the key of a frame; None for no frame, False for no change."""
        key: str = self.cleaned_data["frame"]
        return None if key == NO_FRAME else key or False

    def clean(self) -> dict[str, Any]:
        """Require at least one move."""
        values = self.cleaned_data
        if not self.errors and not values["moves"] and not values["notes"]:
            raise forms.ValidationError("Select at least one stage or note to move.")
        return values


class PlaceForm(PartForm):
    """A position on the canvas. The cleaned value `at` is None without coordinates."""

    x = forms.FloatField(required=False)
    y = forms.FloatField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require both coordinates or none."""
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
    """A new stage: its position, its agent, and the stage that leads to it."""

    source = PickField()
    agent = PickField()
    kind = forms.ChoiceField(
        choices=[("agent", "An agent"), ("group", "A group"), ("human", "The human")]
    )


class CreateStageForm(StageMovesForm, PlaceForm):
    """A new stage with a transition from `source`. With a `target`, it is between the two."""

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


class ServeForm(BatonForm):
    """A stage and its new agent."""

    stage = KeyField()
    agent = KeyField()


class ConnectForm(BatonForm):
    """Two stages."""

    source = KeyField()
    target = KeyField()


class KindForm(ConnectForm):
    """A transition and its new kind."""

    kind = forms.ChoiceField(choices=[("next", "Next"), ("return", "Return")])


class ReconnectForm(ConnectForm):
    """One end of a transition, and its new stage."""

    end = forms.ChoiceField(choices=[("source", "Its start"), ("target", "Its end")])
    stage = KeyField()


class InsertStageForm(StageMovesForm, PlaceForm):
    """A stage, the transition to insert it into, and its new position."""

    stage = KeyField()
    source = KeyField()
    target = KeyField()


class DeleteForm(BatonForm):
    """Stages by phase, transitions, notes and frames by key."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    transitions = JsonField(list[str], empty="[]", max_length=1_200_000)
    notes = JsonField(list[str], empty="[]", max_length=50_000)
    frames = JsonField(list[str], empty="[]", max_length=50_000)

    def clean(self) -> dict[str, Any]:
        """Require at least one part."""
        values = self.cleaned_data
        stages, transitions = values.get("stages", []), values.get("transitions", [])
        others = [*values.get("notes", []), *values.get("frames", [])]
        if not self.errors and not stages and not transitions and not others:
            raise forms.ValidationError("Nothing is selected.")
        if len(stages) > MAX_STAGES or len(transitions) > MAX_TRANSITIONS:
            raise forms.ValidationError(TOO_MANY)
        return values


class RenameStageForm(BatonForm):
    """A stage and its new phase."""

    phase = KeyField()
    name = KeyField(error_messages={"required": "A stage needs a name."})


class TidyForm(BatonForm):
    """The stages to tidy, by phase, empty for all stages; and the free part of the window."""

    stages = JsonField(list[Key], empty="[]", max_length=200_000)
    width = forms.IntegerField(required=False, min_value=200, max_value=20_000)
    height = forms.IntegerField(required=False, min_value=200, max_value=20_000)

    def clean_stages(self) -> list[str]:
        """Limit the number of stages."""
        stages: list[str] = self.cleaned_data["stages"]
        if len(stages) > MAX_STAGES:
            raise forms.ValidationError(TOO_MANY)
        return stages

    def clean(self) -> dict[str, Any]:
        """Add the window; a request without its size gets the usual one."""
        values = super().clean() or {}
        width, height = values.get("width"), values.get("height")
        values["window"] = FreeArea(width, height) if width and height else USUAL_AREA
        return values


class AddAgentForm(BatonForm):
    """Name of a new agent; empty for a free name."""

    name = forms.CharField(required=False, max_length=120)
