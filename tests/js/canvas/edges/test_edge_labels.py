"""Places of edge labels: pure functions of cards and lines."""

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from math import hypot
from typing import Any

import pytest

from tests.js.scenes import Scene, bundle, crowd, fan, lattice

WIDE, TALL = 60, 22
Box = tuple[float, float, float, float]
Labels = Callable[[Scene], tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture
def labels(module: Callable[..., Any]) -> Labels:
    """Return the routes of a scene, and the place of each edge's label."""

    def placed(scene: Scene) -> tuple[dict[str, Any], dict[str, Any]]:
        routes = module("canvas/edges/edge-router.js", "routes", scene.cards, scene.ways)
        lines = [[key, route["points"]] for key, route in routes.items()]
        wanted = [{"id": key, "width": WIDE, "points": points} for key, points in lines]
        return routes, module(
            "canvas/edges/edge-labels.js", "placeLabels", wanted, lines, scene.cards
        )

    return placed


def around(label: dict[str, float]) -> Box:
    x, y = label["x"], label["y"]
    return x - WIDE / 2, y - TALL / 2, x + WIDE / 2, y + TALL / 2


def touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


def crosses(points: list[dict[str, float]], box: Box) -> bool:
    """Report whether a line enters a box, checked in small steps."""
    points_on = (at for p, q in pairwise(points) for at in steps(p, q))
    return any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in points_on)


@pytest.mark.parametrize("make", [lattice, crowd])
def test_labels_lie_on_no_card_and_hardly_ever_on_one_another(
    labels: Labels, make: Callable[[int], Scene]
):
    meetings = 0
    for seed in range(3):
        scene = make(seed)
        _, places = labels(scene)
        boxes = {key: around(label) for key, label in places.items()}
        for _, card in scene.cards:
            stands = (card["x"], card["y"], card["x"] + card["width"], card["y"] + card["height"])
            assert [key for key, box in boxes.items() if touch(box, stands)] == [], scene.name
        meetings += sum(touch(one, other) for one, other in combinations(boxes.values(), 2))
    assert meetings <= 2


def test_a_label_lies_off_the_lines_of_others_where_there_is_room(labels: Labels):
    scene = bundle(4)
    routes, places = labels(scene)
    for key, label in places.items():
        others = [route["points"] for other, route in routes.items() if other != key]
        assert not any(crosses(points, around(label)) for points in others), key


def test_a_label_stands_in_the_middle_of_a_line_that_is_long_enough(labels: Labels):
    scene = bundle(1)
    [[_, a], [_, b]] = scene.cards
    _, places = labels(scene)
    [label] = places.values()
    assert label["x"] == pytest.approx((a["x"] + b["x"] + a["width"]) / 2, abs=2)
    assert label["y"] == pytest.approx((a["y"] + b["y"] + a["height"]) / 2, abs=2)


def test_a_label_leaves_a_short_line_to_be_seen(module: Callable[..., Any]):
    line = [{"x": 0, "y": 0}, {"x": 70, "y": 0}]
    wanted = [{"id": "a>b", "width": WIDE, "points": line}]
    place = module("canvas/edges/edge-labels.js", "placeLabels", wanted, [["a>b", line]], [])["a>b"]
    assert abs(place["y"]) >= TALL / 2
    assert 0 <= place["x"] <= 70


def test_a_label_is_nearest_to_its_own_line_where_several_leave_one_port(labels: Labels):
    routes, places = labels(fan())
    for key, label in places.items():
        gaps = {
            other: min(
                hypot(x - label["x"], y - label["y"])
                for p, q in pairwise(route["points"])
                for x, y in steps(p, q)
            )
            for other, route in routes.items()
        }
        assert min(gaps, key=lambda other: gaps[other]) == key


def steps(p: dict[str, float], q: dict[str, float]) -> Iterator[tuple[float, float]]:
    """Points along a piece of a line, close together."""
    for step in range(65):
        yield p["x"] + (q["x"] - p["x"]) * step / 64, p["y"] + (q["y"] - p["y"]) * step / 64
