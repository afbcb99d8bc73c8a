"""How the samples are drawn, which is what most people see first: laws over their definitions."""

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import pytest

from designer.canvas.transitions import EdgeLine, edge_lines
from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from tests.js.canvas.edges.test_edge_router import inside, on_rim, walked
from tests.js.scenes import HEIGHT, WIDTH, Scene
from tests.serving import ROOT

SUPERVISOR = 64
TALL = 20
FILES = sorted((ROOT / "designer" / "pipelines" / "samples").glob("*.json"))
Box = tuple[float, float, float, float]

LABELLED = """async ([cards, lines, marks, own]) => {
  const { placeLabels } = await import("/canvas/edges/edge-labels.js");
  const always = placeLabels(marks, lines, cards);
  const beside = (one) => [...marks.filter(({ id }) => id !== one.id), one];
  const asked = own.map((one) => placeLabels(beside(one), lines, cards)[one.id]);
  return [always, asked];
}"""


def drawing(definition: PipelineDefinition) -> Scene:
    """The cards where the file has them, and the transitions between them."""
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


def plate(line: EdgeLine, words: str, points: list[dict[str, float]]) -> dict[str, Any]:
    """A label as the page asks for its place (labels.js): as wide as its words may be."""
    words = words if len(words) <= 28 else f"{words[:27]}…"
    return {
        "id": f"{line.source}>{line.target}",
        "width": round(len(words) * 5.9 + 18),
        "points": points,
    }


def around(label: dict[str, float], width: float) -> Box:
    x, y = label["x"], label["y"]
    return x - width / 2, y - TALL / 2, x + width / 2, y + TALL / 2


def touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_in_a_sample_every_line_and_label_is_clear_of_what_it_is_not_about(
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
    marks = [plate(one, one.mark, drawn[f"{one.source}>{one.target}"]) for one in lines if one.mark]
    marks.sort(key=lambda one: one["id"])
    own = [plate(one, one.label, drawn[f"{one.source}>{one.target}"]) for one in lines if one.label]
    always, asked = run(LABELLED, [scene.cards, list(drawn.items()), marks, own])
    stood = {one["id"]: around(always[one["id"]], one["width"]) for one in marks}
    looked_at = {one["id"]: around(at, one["width"]) for one, at in zip(own, asked, strict=True)}
    for (one, box), (other, another) in [
        *combinations(stood.items(), 2),
        *product(looked_at.items(), stood.items()),
    ]:
        assert one == other or not touch(box, another), (one, other)
    boxes = [(c["x"], c["y"], c["x"] + c["width"], c["y"] + c["height"]) for c in cards.values()]
    for key, box in [*stood.items(), *looked_at.items()]:
        assert not any(touch(box, card) for card in boxes), key
