"""Drawings of the samples, which most people see first: laws over their definitions."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from designer.canvas.transitions import EdgeLine, edge_lines
from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from tests.js.canvas.edges.test_edge_router import inside, on_rim, walked
from tests.js.scenes import HEIGHT, WIDTH, Scene
from tests.serving import ROOT

SUPERVISOR = 64
TALL = 22
FILES = sorted((ROOT / "designer" / "pipelines" / "samples").glob("*.json"))
Box = tuple[float, float, float, float]


def drawing(definition: PipelineDefinition) -> Scene:
    """Return the cards at their places in the file, and the transitions between them."""
    cards: list[list[Any]] = [
        [phase, {"x": place.x, "y": place.y, "width": WIDTH, "height": HEIGHT}]
        for phase, place in definition.layout.stages.items()
    ]
    if place := definition.layout.supervisor:
        cards.append(["", {"x": place.x, "y": place.y, "width": WIDTH, "height": SUPERVISOR}])
    ways = [
        {"id": f"{way.source}>{way.target}", "source": way.source, "target": way.target}
        for way in definition.transitions
    ]
    return Scene(definition.name, cards, ways)


def request(line: EdgeLine, points: list[dict[str, float]]) -> dict[str, Any]:
    """A label as the page requests its place: see label-elements.js."""
    width = round(len(line.label) * 6.9 + 18)
    return {"id": f"{line.source}>{line.target}", "width": width, "points": points}


def around(label: dict[str, float], width: float, factor: float) -> Box:
    x, y, across, down = label["x"], label["y"], width * factor / 2, TALL * factor / 2
    return x - across, y - down, x + across, y + down


def touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_lines_and_labels_of_a_sample_overlap_no_other_part(
    module: Callable[..., Any], run: Callable[..., Any], file: Any
):
    definition = load(file.read_bytes())
    scene = drawing(definition)
    cards = dict(scene.cards)
    assert {stage.phase for stage in definition.stages} == cards.keys() - {""}, "all have a place"
    routes = module("canvas/edges/edge-router.js", "routes", scene.cards, scene.ways)

    for way in scene.ways:
        points = list(walked(routes[way["id"]]["d"]))
        third = [card for key, card in scene.cards if key not in (way["source"], way["target"])]
        assert not [p for p in points if any(inside(card, p) for card in third)], way["id"]
        assert on_rim(cards[way["source"]], points[0]), way["id"]
        assert on_rim(cards[way["target"]], points[-1]), way["id"]

    lines = edge_lines(definition, definition.transitions)
    drawn = {key: route["points"] for key, route in routes.items()}
    wanted = [request(line, drawn[f"{line.source}>{line.target}"]) for line in lines]
    boxes = [(c["x"], c["y"], c["x"] + c["width"], c["y"] + c["height"]) for c in cards.values()]
    for factor, least in ((1, 0.9), (1.5, 0.6)):
        places = module(
            "canvas/edges/edge-labels.js",
            "placeLabels",
            wanted,
            list(drawn.items()),
            scene.cards,
            factor,
        )
        shown = {
            one["id"]: around(places[one["id"]], one["width"], factor)
            for one in wanted
            if places[one["id"]]["isClear"]
        }
        assert len(shown) >= least * len(wanted)
        for (one, box), (other, another) in combinations(shown.items(), 2):
            assert not touch(box, another), (one, other)
        for key, box in shown.items():
            assert not any(touch(box, card) for card in boxes), key
