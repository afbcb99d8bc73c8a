"""Layouts of drawn pipelines."""

import json

import pytest
from pydantic import ValidationError

from orchestration.definition import Frame, Layout, Note, PipelineDefinition, Position


def test_whole_pixels_are_written_as_integers() -> None:
    layout = Layout(stages={"intake": Position(x=60, y=-12.5)})
    written = json.loads(PipelineDefinition(name="Drawn", layout=layout).dump())
    assert repr(written["layout"]["stages"]["intake"]) == "{'x': 60, 'y': -12.5}"


def test_a_frame_without_remaining_stages_is_removed() -> None:
    frames = (
        Frame(id="both", title="Both", stages=("b", "a")),
        Frame(id="one", title="One", stages=("c",)),
    )
    layout = Layout(frames=frames).without_stages({"a", "c"})
    assert layout.frames == (Frame(id="both", title="Both", stages=("b",)),)


def test_positions_of_removed_stages_are_removed():
    layout = Layout(stages={"a": Position(x=1, y=2), "b": Position(x=3, y=4)})
    assert layout.without_stages({"a"}).stages == {"b": Position(x=3, y=4)}


def test_notes_are_sorted_by_id():
    notes = tuple(Note(id=key, text="", x=0, y=0) for key in ("b", "a"))
    assert [note.id for note in Layout(notes=notes).notes] == ["a", "b"]


@pytest.mark.parametrize(
    "fields", [{"x": float("nan")}, {"x": 1e7}, {"hue": 360}, {"width": 39}, {"text": "x" * 32_001}]
)
def test_a_note_outside_of_the_limits_is_refused(fields):
    with pytest.raises(ValidationError):
        Note.model_validate({"id": "n", "text": "", "x": 0, "y": 0} | fields)
