"""Places of labels on lines."""

from __future__ import annotations

from itertools import pairwise

from designer.canvas import EdgePath
from designer.versions.drawing.label_places import TakenBoxes, line_boxes, take_place

LINE = EdgePath(((0.0, 0.0), (400.0, 0.0)))
NO_LINES = TakenBoxes([])


def test_a_label_is_in_the_middle_of_its_line():
    assert take_place(LINE, [100], 30, TakenBoxes([]), NO_LINES) == (0, (200.0, 0.0))


def test_two_labels_on_the_same_line_do_not_overlap():
    taken = TakenBoxes([])
    places = [take_place(LINE, [100], 30, taken, NO_LINES) for _ in range(3)]
    xs = sorted(place[1][0] for place in places if place)
    assert len(xs) == 3
    assert all(b - a >= 100 for a, b in pairwise(xs))


def test_a_shorter_label_is_used_where_the_longer_one_covers_a_card():
    taken = TakenBoxes([(-300.0, -50.0, 140.0, 50.0), (260.0, -50.0, 700.0, 50.0)])
    assert take_place(LINE, [200, 100], 30, taken, NO_LINES) == (1, (200.0, 0.0))


def test_a_label_without_room_on_its_line_is_beside_it_and_covers_no_other_line():
    between = [(-300.0, -48.0, 140.0, 48.0), (260.0, -48.0, 700.0, 48.0)]
    assert take_place(LINE, [200], 30, TakenBoxes(between), NO_LINES) == (0, (200.0, -70.0))
    other = EdgePath(((0.0, -80.0), (400.0, -80.0)))
    lines = TakenBoxes([*line_boxes(LINE), *line_boxes(other)])
    assert take_place(LINE, [200], 30, TakenBoxes(between), lines) == (0, (200.0, 70.0))


def test_a_label_without_room_on_a_vertical_line_is_on_its_left_or_right():
    line = EdgePath(((0.0, 0.0), (0.0, 400.0)))
    cards = [(-60.0, -300.0, 500.0, 700.0)]
    assert take_place(line, [200], 30, TakenBoxes(cards), NO_LINES) == (0, (-170.0, 200.0))
    cards = [(-500.0, -300.0, 20.0, 700.0)]
    assert take_place(line, [200], 30, TakenBoxes(cards), NO_LINES) == (0, (126.0, 200.0))


def test_without_room_there_is_no_label():
    taken = TakenBoxes([(-300.0, -90.0, 700.0, 90.0)])
    assert take_place(LINE, [200], 30, taken, NO_LINES) is None
