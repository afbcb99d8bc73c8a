"""Movement of a card away from a panel over the canvas: a pure function of boxes."""

from collections.abc import Callable
from typing import Any

WINDOW: dict[str, float] = {"x": 0, "y": 0, "width": 800, "height": 600}
CORNER: dict[str, float] = {"x": 600, "y": 480, "width": 180, "height": 110}


def card(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y, "width": 200, "height": 100}


def test_a_card_is_moved_the_shortest_way_that_leaves_it_in_the_window(
    module: Callable[..., Any],
) -> None:
    def out(x: float, y: float, over: dict[str, float] = CORNER) -> list[float]:
        return list(module("canvas/keep-clear.js", "clearance", card(x, y), over, WINDOW))

    assert out(100, 100) == [0, 0], "it is clear"
    assert out(580, 440) == [0, -68], "up"
    assert out(420, 480) == [-28, 0], "aside"
    assert out(400, 10, {"x": 300, "y": 14, "width": 300, "height": 34}) == [0, 46], "not out above"
