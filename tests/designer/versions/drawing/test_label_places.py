"""Places of labels on lines."""

from __future__ import annotations

from itertools import pairwise

from designer.canvas import EdgePath
from designer.versions.drawing.label_places import TakenBoxes, take_place

LINE = EdgePath(((0.0, 0.0), (400.0, 0.0)))


def test_a_label_is_in_the_middle_of_its_line():
    assert take_place(LINE, [100], 30, TakenBoxes([])) == (0, (200.0, 0.0))


def test_two_labels_on_the_same_line_do_not_overlap():
    taken = TakenBoxes([])
    places = [take_place(LINE, [100], 30, taken) for _ in range(3)]
    xs = sorted(place[1][0] for place in places if place)
    assert len(xs) == 3
    assert all(b - a >= 100 for a, b in pairwise(xs))


def test_a_shorter_label_is_used_where_the_longer_one_covers_a_card():
    taken = TakenBoxes([(-300.0, -50.0, 140.0, 50.0), (260.0, -50.0, 700.0, 50.0)])
    assert take_place(LINE, [200, 100], 30, taken) == (1, (200.0, 0.0))


def test_without_room_there_is_no_label():
    assert take_place(LINE, [200], 30, TakenBoxes([(-300.0, -50.0, 700.0, 50.0)])) is None
