"""Bounding boxes on the canvas, and the shortest move to free space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.canvas.geometry import (
    FRAME_HEADER,
    FRAME_PADDING,
    GRID,
    HEIGHT,
    LIMIT,
    NOTE_WIDTH,
    WIDTH,
    bounding_box,
    boxes_of_frame,
    clearing_move,
    drawn_boxes,
    note_box,
    overlapping,
)
from orchestration.definition import Frame, Layout, Note, PipelineDefinition, Position, Stage

BOXES = st.builds(
    lambda x, y, width, height: (float(x), float(y), float(x + width), float(y + height)),
    st.integers(-2_000, 2_000),
    st.integers(-2_000, 2_000),
    st.integers(1, 600),
    st.integers(1, 600),
)


def moved(box, across, down):
    left, top, right, bottom = box
    return left + across, top + down, right + across, bottom + down


@given(BOXES, st.lists(BOXES, max_size=6))
def test_a_box_moves_along_one_axis_until_it_is_clear_of_the_others(box, others):
    across, down = clearing_move(box, others)
    assert not overlapping(moved(box, across, down), others)
    assert 0 in (across, down)
    assert (across % GRID, down % GRID) == (0, 0)
    assert ((across, down) == (0, 0)) == (not overlapping(box, others))


def test_a_move_never_exceeds_the_coordinate_limits():
    wall = (-LIMIT, -LIMIT, LIMIT, LIMIT)
    assert clearing_move((0, 0, 10, 10), [wall]) == (0, 0)
    corner = (LIMIT - 100, LIMIT - 100, LIMIT, LIMIT)
    across, down = clearing_move(corner, [corner])
    assert across + down < 0


def test_boxes_that_only_share_an_edge_do_not_overlap():
    box = (0, 0, 10, 10)
    others = [(10, 0, 20, 10), (0, 10, 10, 20), (9, 9, 12, 12)]
    assert overlapping(box, others) == [(9, 9, 12, 12)]


@given(st.lists(BOXES, min_size=1, max_size=6))
def test_the_bounding_box_contains_every_box_and_touches_its_sides(boxes):
    left, top, right, bottom = bounding_box(boxes)
    assert all(left <= box[0] and top <= box[1] for box in boxes)
    assert all(right >= box[2] and bottom >= box[3] for box in boxes)
    assert {left, top, right, bottom} <= {side for box in boxes for side in box}


@pytest.mark.parametrize(("width", "expected"), [(None, NOTE_WIDTH), (320, 320)])
def test_a_note_is_as_wide_as_it_says_and_higher_with_more_text(width, expected):
    short, long = (Note(id="n", text=text, x=5, y=7, width=width) for text in ("a", "a" * 999))
    left, top, right, bottom = note_box(short)
    assert (left, top, right) == (5, 7, 5 + expected)
    assert note_box(long)[3] > bottom > top


def test_a_frame_surrounds_its_placed_stages_and_has_no_box_without_any():
    frame = Frame(id="f", title="F", stages=("a", "b"))
    positions = {"a": Position(x=0, y=0), "c": Position(x=900, y=900)}
    assert list(boxes_of_frame(frame, positions)) == [
        (
            -FRAME_PADDING,
            -FRAME_PADDING - FRAME_HEADER,
            WIDTH + FRAME_PADDING,
            HEIGHT + FRAME_PADDING,
        )
    ]
    assert list(boxes_of_frame(frame, {})) == []


def test_the_boxes_of_a_definition_include_notes_frames_and_the_supervisor():
    layout = Layout(
        stages={"a": Position(x=0, y=0)},
        notes=(Note(id="n", text="Note", x=400, y=0),),
        frames=(Frame(id="f", title="F", stages=("a",)),),
        supervisor=Position(x=0, y=-300),
    )
    definition = PipelineDefinition(name="P", stages=(Stage(phase="a"),), layout=layout)
    assert len(drawn_boxes(definition)) == 3
    supervised = definition.model_copy(update={"supervisor_id": "watcher"})
    assert bounding_box(drawn_boxes(supervised))[1] == -300
