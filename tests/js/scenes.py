"""Drawings on which laws of geometry are tried: cards, and ways between them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 216, 96


@dataclass(frozen=True)
class Scene:
    """Cards with their ids, and edges."""

    name: str
    cards: list[list[Any]]
    ways: list[dict[str, str]]

    def moved(self, x: float, y: float) -> Scene:
        """The same somewhere else."""
        cards = [[key, {**box, "x": box["x"] + x, "y": box["y"] + y}] for key, box in self.cards]
        return Scene(self.name, cards, self.ways)


def chance(seed: int) -> random.Random:
    """Luck that is the same each time."""
    return random.Random(seed)  # noqa: S311 - nothing is to be kept secret


def crowd(seed: int) -> Scene:
    """Cards anywhere, none on another, and ways between any of them."""
    luck = chance(seed)
    places: list[tuple[int, int]] = []
    while len(places) < 14:
        x, y = luck.randrange(0, 1800), luck.randrange(0, 1000)
        if all(abs(x - a) > WIDTH + 12 or abs(y - b) > HEIGHT + 12 for a, b in places):
            places.append((x, y))
    return _scene(f"crowd {seed}", places, _any_ways(luck, len(places), 22))


def lattice(seed: int) -> Scene:
    """Rows and columns with room between them, and ways of all lengths."""
    luck = chance(seed)
    places = [
        (column * 320 + luck.choice((0, 0, 20)), row * 160 + luck.choice((0, 0, 24)))
        for column in range(6)
        for row in range(5)
        if luck.random() < 0.8
    ]
    return _scene(f"lattice {seed}", places, _any_ways(luck, len(places), 40))


def heap(seed: int, cards: int = 30) -> Scene:
    """Cards on one another."""
    luck = chance(seed)
    places = [(luck.randrange(0, 900), luck.randrange(0, 500)) for _ in range(cards - 2)]
    return _scene(
        f"heap {seed}", [(-400, 200), (1500, 230), *places], [(0, 1), *_any_ways(luck, cards, 20)]
    )


def bundle(count: int) -> Scene:
    """So many cards below one another that all lead to one, and one beside it."""
    places = [(0, 200), *((-500, row * 160) for row in range(max(1, count)))]
    return _scene(f"bundle {count}", places, [(row + 1, 0) for row in range(max(1, count))])


def wall() -> Scene:
    """Two cards, the one within a wall of others."""
    ring = [
        (x, y)
        for x in range(-600, 601, 200)
        for y in range(-240, 241, 80)
        if max(abs(x) / 200, abs(y) / 80) >= 2
    ]
    return _scene("wall", [(0, 0), (1600, 0), *ring], [(0, 1)])


def _any_ways(luck: random.Random, cards: int, count: int) -> list[tuple[int, int]]:
    ways = {(luck.randrange(cards), luck.randrange(cards)) for _ in range(count)}
    return sorted(ways)


def _scene(name: str, places: list[tuple[int, int]], ways: list[tuple[int, int]]) -> Scene:
    boxes = [{"x": x, "y": y, "width": WIDTH, "height": HEIGHT} for x, y in places]
    return Scene(
        name,
        [[f"c{place}", box] for place, box in enumerate(boxes)],
        [{"id": f"c{a}>c{b}", "source": f"c{a}", "target": f"c{b}"} for a, b in ways],
    )


def fan() -> Scene:
    """Three ways from one card, the middle one short."""
    places = [(533, 316), (829, 153), (833, 322), (836, 473)]
    return _scene("fan", places, [(0, 1), (0, 2), (0, 3)])
