"""Edges keep clear of the cards that they do not join: laws over drawings of every kind."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.js.scenes import Scene, bundle, chance, crowd, heap, lattice, wall

WIDTH, HEIGHT = 216, 96
Point = tuple[float, float]
Routes = Callable[..., list[dict[str, dict[str, Any]]]]

SCENES = [
    *(crowd(seed) for seed in range(7)),
    *(lattice(seed) for seed in range(5)),
    *(heap(seed) for seed in range(2)),
]


@pytest.fixture
def routes(run: Callable[..., Any]) -> Routes:
    """The ways of the edges of scenes, by their ids."""
    return lambda *scenes: run(EACH, [[scene.cards, scene.ways] for scene in scenes])


EACH = """async (scenes) => {
  const { routes } = await import("/canvas/edges/edge-router.js");
  return Promise.all(scenes.map(([cards, ways]) => routes(cards, ways)));
}"""


def walked(path: str) -> Iterator[Point]:
    """A path, walked in small steps."""
    at: Point = (0, 0)
    for command, rest in re.findall(r"([MLQC])([^MLQC]*)", path):
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", rest)]
        points = [at, *zip(numbers[::2], numbers[1::2], strict=True)]
        if command != "M":
            length = sum(abs(p[0] - q[0]) + abs(p[1] - q[1]) for p, q in pairwise(points))
            steps = max(8, int(length / 8))
            yield from (bezier(points, step / steps) for step in range(steps + 1))
        at = points[-1]


def bezier(points: list[Point], t: float) -> Point:
    """The point at `t` of a curve of any degree."""
    while len(points) > 1:
        points = [(p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t) for p, q in pairwise(points)]
    return points[0]


def inside(card: dict[str, float], point: Point) -> bool:
    x, y = point
    within = card["x"] < x < card["x"] + card["width"]
    return within and card["y"] < y < card["y"] + card["height"]


def on_rim(card: dict[str, float], point: Point) -> bool:
    x, y = point
    right, bottom = card["x"] + card["width"], card["y"] + card["height"]
    level = card["x"] - 0.1 <= x <= right + 0.1 and min(abs(y - card["y"]), abs(y - bottom)) < 0.1
    upright = card["y"] - 0.1 <= y <= bottom + 0.1 and min(abs(x - card["x"]), abs(x - right)) < 0.1
    return level or upright


def test_an_edge_that_is_said_to_be_clear_crosses_no_third_card(routes: Routes):
    detours = 0
    for scene, found in zip(SCENES, routes(*SCENES), strict=True):
        cards = dict(scene.cards)
        for way in scene.ways:
            route = found[way["id"]]
            detours += "L" in route["d"]
            if not route["clear"]:
                continue
            third = [card for key, card in scene.cards if key not in (way["source"], way["target"])]
            crossed = [p for p in walked(route["d"]) if any(inside(card, p) for card in third)]
            assert not crossed, (scene.name, way, crossed[:1])
            if "L" in route["d"]:
                own = [cards[way["source"]], cards[way["target"]]]
                assert not [p for p in walked(route["d"]) if any(inside(card, p) for card in own)]
    assert detours > 50, "the scenes have edges that need a detour"


def test_where_there_is_room_every_edge_is_clear(routes: Routes):
    for found in routes(*(lattice(seed) for seed in range(8))):
        assert [key for key, route in found.items() if not route["clear"]] == []


def test_an_edge_begins_and_ends_on_the_rims_of_its_cards(routes: Routes):
    for scene, found in zip(SCENES, routes(*SCENES), strict=True):
        cards = dict(scene.cards)
        for way in scene.ways:
            points = list(walked(found[way["id"]]["d"]))
            source, target = cards[way["source"]], cards[way["target"]]
            assert on_rim(source, points[0]), (scene.name, way)
            assert on_rim(target, points[-1]), (scene.name, way)
            if abs(points[0][0] - source["x"] - WIDTH) < 0.1:
                assert points[0][1] == pytest.approx(source["y"] + HEIGHT / 2, abs=0.1), (
                    "on the right there is one port"
                )


def test_the_order_of_cards_and_edges_is_of_no_account(routes: Routes):
    shuffled = [Scene(scene.name, scene.cards[:], scene.ways[:]) for scene in SCENES]
    for seed, scene in enumerate(shuffled):
        chance(seed).shuffle(scene.cards)
        chance(seed).shuffle(scene.ways)
    assert routes(*shuffled) == routes(*SCENES)


def test_a_drawing_that_is_moved_as_a_whole_keeps_its_ways(routes: Routes):
    by = (1037, -4607)
    elsewhere = routes(*(scene.moved(*by) for scene in SCENES))
    for here, there in zip(routes(*SCENES), elsewhere, strict=True):
        for key, route in here.items():
            points = [(p["x"] + by[0], p["y"] + by[1]) for p in route["points"]]
            for point, (x, y) in zip(there[key]["points"], points, strict=True):
                assert abs(point["x"] - x) + abs(point["y"] - y) < 1, key


def test_ways_found_step_by_step_are_those_found_at_once(run: Callable[..., Any]):
    """Routes kept while cards move, appear and disappear equal newly calculated routes."""
    for seed in range(4):
        luck = chance(seed)
        scene = lattice(seed) if seed % 2 else crowd(seed)
        states = [scene.cards]
        for _ in range(8):
            cards = [[key, dict(box)] for key, box in states[-1]]
            for _, box in luck.sample(cards, 2):
                box["x"] += luck.randint(-400, 400)
                box["y"] += luck.randint(-300, 300)
            states.append(cards if luck.random() < 0.8 else luck.sample(cards, len(cards) - 1))
        assert run(STEP_BY_STEP, [states, scene.ways]) is None


STEP_BY_STEP = """async ([states, ways]) => {
  const { Router, equip, routes } = await import("/canvas/edges/edge-router.js");
  const kept = new Router();
  for (const [turn, cards] of states.entries()) {
    kept.begin(new Map(cards), ways);
    for (let steps = 0; !kept.step(); steps += 1) {
      if (kept.needs) await equip();
      if (turn % 3 === 1 && steps > 4) break; // cards move again before all is found
    }
    if (turn % 3 === 1) continue;
    const [one, other] = [Object.fromEntries(kept.finish()), await routes(cards, ways)];
    if (JSON.stringify(one) !== JSON.stringify(other)) return `other ways in turn ${turn}`;
  }
  return null;
}"""


def test_a_plain_curve_that_is_clear_stays_plain(routes: Routes, geometry: Callable[..., Any]):
    scene = bundle(0)
    for way in scene.ways:
        cards = dict(scene.cards)
        plain = geometry("route", cards[way["source"]], cards[way["target"]])["d"]
        [alone] = routes(Scene("one", scene.cards, [way]))
        assert alone[way["id"]]["d"] == plain


def test_edges_into_the_same_side_end_apart(routes: Routes):
    [found] = routes(bundle(5))
    ends = sorted(route["points"][-1]["y"] for route in found.values())
    assert len(ends) == 5
    assert all(below - above >= 8 for above, below in pairwise(ends))


def test_there_and_back_run_apart_around_a_card_between_them(routes: Routes):
    size = {"width": WIDTH, "height": HEIGHT}
    cards = [[key, {"x": x, "y": 0, **size}] for key, x in (("a", 0), ("b", 320), ("c", 640))]
    ways = [{"id": f"{a}>{b}", "source": a, "target": b} for a, b in ("ac", "ca")]
    [found] = routes(Scene("three", cards, ways))
    there, back = (list(walked(route["d"])) for route in found.values())
    near = [min(abs(p[0] - q[0]) + abs(p[1] - q[1]) for q in back) for p in there]
    assert sum(distance < 6 for distance in near) < len(near) / 10


def test_where_there_is_no_way_at_a_sane_cost_an_edge_stays_plain(
    routes: Routes, geometry: Callable[..., Any]
):
    for scene in (wall(), heap(0, cards=400)):
        cards, way = dict(scene.cards), scene.ways[0]
        [found] = routes(Scene(scene.name, scene.cards, [way]))
        route = found[way["id"]]
        assert not route["clear"]
        assert route["d"] == geometry("route", cards[way["source"]], cards[way["target"]])["d"]
