"""Cards on one line: a pure function of where they stand."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

WIDTH, HEIGHT = 216, 96


@pytest.fixture
def aligned(module: Callable[..., Any]) -> Callable[..., Any]:
    """Line cards up: `aligned(cards, "left")`."""
    return partial(module, "editor/gestures/align-stages.js", "aligned")


def at(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def test_cards_that_are_apart_keep_their_places_along_the_line(aligned: Callable[..., Any]) -> None:
    column = [at(0, 0), at(50, 200), at(20, 400)]
    assert aligned(column, "left") == [at(0, 0), at(0, 200), at(0, 400)]
    assert aligned(column, "right") == [at(50, 0), at(50, 200), at(50, 400)]
    assert aligned(column, "centre") == [at(25, 0), at(25, 200), at(25, 400)]


@pytest.mark.parametrize(("line", "along", "size"), [("left", "y", HEIGHT), ("top", "x", WIDTH)])
def test_cards_that_would_lie_on_one_another_are_moved_apart(
    aligned: Callable[..., Any], line: str, along: str, size: int
) -> None:
    across = {"x": "y", "y": "x"}[along]
    row = [{across: 300.0 * n, along: 5.0 * n} for n in range(4)]
    placed = aligned(row, line)
    assert {card[across] for card in placed} == {0}
    assert all(b[along] - a[along] >= size + 24 for a, b in pairwise(placed))
    assert placed[0][along] == 0, "the first stays"
