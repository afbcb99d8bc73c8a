"""Members of frames."""

import pytest

from designer.core.edit_errors import GoneError
from designer.editor.actions.frame_members import (
    assign_frame,
    move_members,
    notes_and_frames_label,
    read_member_frames,
)
from designer.pipelines.actions import import_definition
from orchestration.definition import Frame
from tests.designer.editor_requests import chain

FIRST = Frame(id="first", title="First", stages=("a", "b"))
SECOND = Frame(id="second", title="Second", stages=("c",))
FRAMES = {"first": FIRST, "second": SECOND}


@pytest.fixture
def framed(user):
    definition = chain("a", "b", "c", "d")
    layout = definition.layout.model_copy(update={"frames": (FIRST, SECOND)})
    return import_definition(user=user, definition=definition.model_copy(update={"layout": layout}))


def test_moved_stages_leave_their_frame_and_enter_another():
    assert move_members(FRAMES, ["b"], SECOND) == {
        "first": FIRST.model_copy(update={"stages": ("a",)}),
        "second": SECOND.model_copy(update={"stages": ("b", "c")}),
    }


def test_a_frame_without_stages_is_deleted():
    assert move_members(FRAMES, ["c"], None) == {"second": None}


def test_a_frame_that_keeps_its_stages_does_not_change():
    assert move_members({"first": FIRST}, ["d"], None) == {}


@pytest.mark.django_db
def test_stages_are_assigned_to_a_frame_by_its_key(framed):
    frames = assign_frame(framed, ["a", "b", "d"], "second")
    assert frames["first"] is None
    assert frames["second"] == SECOND.model_copy(update={"stages": ("a", "b", "c", "d")})


@pytest.mark.django_db
def test_a_missing_frame_is_refused(framed):
    with pytest.raises(GoneError, match="That frame no longer exists"):
        assign_frame(framed, ["a"], "gone")


@pytest.mark.django_db
def test_the_frames_of_stages_are_read_with_one_more_frame(framed):
    assert read_member_frames(framed, ["a", "d"]) == {"first": FIRST}
    assert read_member_frames(framed, ["a"], "second") == FRAMES


@pytest.mark.parametrize(
    ("notes", "frames", "text"),
    [(0, 0, ""), (1, 0, "a note"), (0, 2, "2 frames"), (3, 1, "3 notes and a frame")],
)
def test_notes_and_frames_are_counted_in_words(notes, frames, text):
    assert notes_and_frames_label(notes, frames) == text
