"""Forms of the gestures on the canvas."""

import json

import pytest

from designer.editor.forms.canvas import (
    NO_FRAME,
    TOO_MANY,
    AddStageForm,
    DeleteForm,
    MoveStagesForm,
    MoveSupervisorForm,
    RenameStageForm,
    TidyForm,
)
from orchestration.definition import MAX_NOTES, MAX_STAGES, Position


def move(phase, x, y):
    return {"phase": phase, "x": x, "y": y}


def errors(form):
    return " ".join(error for messages in form.errors.values() for error in messages)


def test_the_last_position_of_a_part_applies():
    form = MoveStagesForm(
        {
            "moves": json.dumps([move("a", 1, 2), move("b", 3, 4), move("a", 5, 6)]),
            "notes": json.dumps([{"note": "n", "x": 7, "y": 8}, {"note": "n", "x": 9, "y": 0}]),
        }
    )
    assert form.is_valid(), form.errors
    assert form.cleaned_data["moves"] == {"a": Position(x=5, y=6), "b": Position(x=3, y=4)}
    assert form.cleaned_data["notes"] == {"n": Position(x=9, y=0)}


@pytest.mark.parametrize(("value", "frame"), [("", False), (NO_FRAME, None), ("desk", "desk")])
def test_a_move_keeps_leaves_or_enters_a_frame(value, frame):
    form = MoveStagesForm({"moves": json.dumps([move("a", 1, 2)]), "frame": value})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["frame"] is frame or form.cleaned_data["frame"] == frame


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "Select at least one stage or note to move."),
        ({"moves": json.dumps([move("a", 1, 2)] * (MAX_STAGES + 1))}, TOO_MANY),
        ({"notes": json.dumps([{"note": "n", "x": 1, "y": 2}] * (MAX_NOTES + 1))}, TOO_MANY),
    ],
)
def test_no_moves_and_too_many_moves_are_refused(fields, error):
    assert error in errors(MoveStagesForm(fields))


def test_a_position_needs_both_coordinates_or_none():
    for fields, at in (({}, None), ({"x": "1", "y": "2"}, Position(x=1, y=2))):
        form = AddStageForm({"kind": "agent", **fields})
        assert form.is_valid(), form.errors
        assert form.cleaned_data["at"] == at
    assert not AddStageForm({"kind": "agent", "x": "1"}).is_valid()
    assert not MoveSupervisorForm({}).is_valid()


@pytest.mark.parametrize("name", ["stages", "transitions", "notes", "frames"])
def test_any_part_can_be_deleted(name):
    form = DeleteForm({name: '["a"]'})
    assert form.is_valid(), form.errors
    assert form.cleaned_data[name] == ["a"]


def test_an_empty_and_an_impossible_selection_are_refused():
    assert errors(DeleteForm({})) == "Nothing is selected."
    too_many = json.dumps(["a"] * (MAX_STAGES + 1))
    assert errors(DeleteForm({"stages": too_many})) == TOO_MANY
    assert errors(TidyForm({"stages": too_many})) == TOO_MANY


def test_a_stage_needs_a_name():
    assert "A stage needs a name." in errors(RenameStageForm({"phase": "a", "name": ""}))
