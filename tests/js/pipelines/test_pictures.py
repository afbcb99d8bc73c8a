"""The lines of pictures, around the cards as in the editor."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.js.canvas.edges.test_edge_router import inside, walked

FRAME = {"width": 600, "height": 220}


def test_the_lines_of_a_picture_run_around_its_cards_and_within_its_frame(
    module: Callable[..., Any],
) -> None:
    """A row of cards, each leading to the next, over the next, and back."""
    cards = [{"x": 24 + 110 * at, "y": 84, "width": 86.0, "height": 38} for at in range(5)]
    ways = [*pairwise(range(5)), (0, 2), (0, 4), (4, 1), (3, 0)]
    for (source, target), path in zip(
        ways, module("pipelines/pictures.js", "routedPaths", cards, ways, FRAME), strict=True
    ):
        points = list(walked(path))
        assert points
        between = [card for at, card in enumerate(cards) if at not in (source, target)]
        assert not any(inside(card, point) for card in between for point in points)
        assert all(0 <= x <= FRAME["width"] and 0 <= y <= FRAME["height"] for x, y in points)
