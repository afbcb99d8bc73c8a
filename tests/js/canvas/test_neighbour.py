"""The next card in a direction: a pure function."""

from collections.abc import Callable
from typing import Any


def at(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def test_the_neighbour_is_the_near_one_in_that_direction(module: Callable[..., Any]) -> None:
    def neighbour(x: float, y: float, direction: str) -> Any:
        return module("canvas/neighbour.js", "neighbour", at(x, y), direction, cards)

    cards = [["a", at(0, 0)], ["b", at(300, 10)], ["c", at(600, 0)], ["d", at(290, 400)]]
    assert neighbour(0, 0, "ArrowRight") == "b"
    assert neighbour(300, 10, "ArrowDown") == "d"
    assert neighbour(600, 0, "ArrowLeft") == "b"
    assert neighbour(0, 0, "ArrowLeft") is None
