"""Paths of transitions around cards."""

from __future__ import annotations

from itertools import pairwise

import pytest

from designer.canvas import card_boxes, find_routes
from orchestration.definition import Position


def boxes(**places: tuple[float, float]):
    positions = {phase: Position(x=x, y=y) for phase, (x, y) in places.items()}
    return dict(zip(positions, card_boxes(positions.values()), strict=True))


def covered(points, box) -> bool:
    """Report whether a path crosses a card."""
    left, top, right, bottom = box
    return any(
        min(ax, bx) < right and max(ax, bx) > left and min(ay, by) < bottom and max(ay, by) > top
        for (ax, ay), (bx, by) in pairwise(points)
    )


def test_a_line_leads_from_the_right_of_a_card_to_the_left_of_the_next():
    [route] = find_routes(boxes(a=(0, 0), b=(400, 0)), [("a", "b")])
    assert route.path == "M216 48L400 48"


def test_a_line_between_stacked_cards_is_straight():
    [down, up] = find_routes(boxes(a=(0, 0), b=(0, 200)), [("a", "b"), ("b", "a")])
    assert len(down.points) == len(up.points) == 2
    assert down.points[0][0] != up.points[0][0]


@pytest.mark.parametrize("edge", [("a", "c"), ("c", "a"), ("a", "a")])
def test_a_line_leads_around_the_cards_between_its_ends(edge):
    places = boxes(a=(0, 0), b=(400, 0), c=(800, 0))
    [route] = find_routes(places, [edge])
    assert not any(covered(route.points, box) for box in places.values())


def test_lines_at_the_same_card_are_spread():
    places = boxes(a=(0, 0), b=(400, 0), c=(400, 200))
    first, second = find_routes(places, [("a", "b"), ("a", "c")])
    assert first.points[0][1] < second.points[0][1]


def test_the_head_points_along_the_end_of_the_line():
    right, down = find_routes(boxes(a=(0, 0), b=(400, 0), c=(400, 200)), [("a", "b"), ("b", "c")])
    assert right.head == "M400 48l-9 -4v8z"
    assert down.head.endswith("l-4 -9h8z")
