"""Lines of edges and bounds of the drawing: pure functions of the cards' places."""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

WIDTH, HEIGHT = 216, 96
Geometry = Callable[..., Any]
Point = tuple[float, float]


def at(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


def points(path: str) -> Iterator[Point]:
    """A cubic curve, walked in a hundred steps."""
    x0, y0, x1, y1, x2, y2, x3, y3 = numbers(path)
    for step in range(101):
        t = step / 100
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def inside(card: dict[str, float], point: Point) -> bool:
    x, y = point
    return card["x"] < x < card["x"] + WIDTH and card["y"] < y < card["y"] + HEIGHT


def test_an_edge_forward_goes_from_the_port_to_the_left_side(geometry: Geometry):
    way = numbers(geometry("route", at(0, 0), at(400, 200))["d"])
    assert way[:2] == [216, 48]
    assert way[-2:] == [400, 248]


def test_an_edge_between_cards_above_each_other_goes_straight_down(geometry: Geometry):
    way = numbers(geometry("route", at(0, 0), at(30, 300))["d"])
    assert (way[1], way[-1]) == (96, 300)


def test_an_edge_backward_arches_over_cards_at_the_same_height(geometry: Geometry):
    path = geometry("route", at(600, 100), at(0, 100))["d"]
    assert min(y for _, y in points(path)) < 60
    assert numbers(path)[1] == numbers(path)[-1] == 100


def test_an_edge_backward_and_down_passes_under_the_cards(geometry: Geometry):
    path = geometry("route", at(600, 100), at(0, 300))["d"]
    assert max(y for _, y in points(path)) > 300 + HEIGHT


def test_a_stage_that_leads_to_itself_gets_a_loop(geometry: Geometry):
    path = geometry("route", at(0, 0), at(0, 0))["d"]
    assert len({(round(x), round(y)) for x, y in points(path)}) > 20


def test_there_and_back_never_coincide(geometry: Geometry):
    for x, y in [(400, 0), (400, 200), (0, 300), (40, -300), (240, 60), (-400, 90)]:
        there = geometry("route", at(0, 0), at(x, y))["d"]
        back = geometry("route", at(x, y), at(0, 0))["d"]
        apart = [min(math.dist(p, q) for q in points(back)) for p in points(there)]
        assert max(apart) > 20, f"the ways to {x}, {y} and back lie on each other"


@pytest.mark.parametrize("dx", [-700, -500, -300, -40, 0, 40, 240, 300, 500, 700])
def test_an_edge_does_not_cross_its_own_cards(geometry: Geometry, dx: int):
    for dy in (-600, -300, -150, 0, 150, 300, 600):
        a, b = at(0, 0), at(dx, dy)
        if abs(dx) < WIDTH + 20 and abs(dy) < HEIGHT + 20:
            continue  # the cards overlap or nearly do
        crossing = [p for p in points(geometry("route", a, b)["d"]) if inside(a, p) or inside(b, p)]
        assert len(crossing) <= 2, f"to {dx}, {dy} it runs over a card"


@pytest.mark.parametrize("dy", [-112, -104, -96, 96, 104, 112])
def test_an_edge_to_a_card_close_above_or_below_leaves_both_free(geometry: Geometry, dy: int):
    for dx in range(-208, 209, 16):
        a, b = at(0, 0), at(dx, dy)
        there, back = (geometry("route", *ends)["d"] for ends in ((a, b), (b, a)))
        crossing = [p for p in points(there) if inside(a, p) or inside(b, p)]
        assert len(crossing) <= 2, f"to {dx}, {dy} it runs over a card"
        apart = [min(math.dist(p, q) for q in points(back)) for p in list(points(there))[::10]]
        assert max(apart) > 20, f"the edges to {dx}, {dy} and back lie on each other"
        length = sum(math.dist(p, q) for p, q in itertools.pairwise(points(there)))
        assert length > 60, "it is long enough for its arrow"


def test_an_edge_ends_where_it_is_moved_to(geometry: Geometry):
    for x, y in [(400, 200), (30, 300), (30, -300), (-600, 0), (-600, 300)]:
        plain = numbers(geometry("route", at(0, 0), at(x, y))["d"])
        moved = numbers(geometry("route", at(0, 0), at(x, y), {"out": 10, "into": -20})["d"])
        assert sum(abs(a - b) for a, b in zip(plain[-2:], moved[-2:], strict=True)) == 20
        assert moved[:2] in (plain[:2], [plain[0] + 10, plain[1]]), "on the right there is one port"


def test_bounds_hold_every_card(geometry: Geometry):
    box = geometry("bounds", [at(-50, 0), at(100, 300)])
    assert box == {"x": -50, "y": 0, "width": 150 + WIDTH, "height": 300 + HEIGHT}
    assert geometry("bounds", []) is None


def test_bounds_include_parts_other_than_cards_with_their_size(geometry: Geometry):
    box = geometry("bounds", [at(0, 0), {"x": -40, "y": 10, "width": 30, "height": 500}])
    assert box == {"x": -40, "y": 0, "width": 40 + WIDTH, "height": 510}


def test_a_box_touches_the_cards_that_it_overlaps(geometry: Geometry, module: Geometry):
    box = module("editor/gestures/box-selection.js", "boxBetween", at(250, 120), at(200, 80))
    assert box == {"x": 200, "y": 80, "width": 50, "height": 40}
    assert geometry("touches", at(0, 0), box) is True
    assert geometry("touches", at(260, 0), box) is False
