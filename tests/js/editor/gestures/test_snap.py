"""Alignment of a dragged card with other cards: pure functions of boxes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.js.conftest import ORIGIN, _serve

Snap = Callable[..., Any]
SIZE = {"width": 200, "height": 100}


@pytest.fixture
def snap(browser: Browser) -> Iterator[Snap]:
    """Snap a box to others, within reach: `snap(box, others, reach)`."""
    page = browser.new_page()
    page.route("**/*", _serve)
    page.goto(ORIGIN)
    script = """async ([box, others, reach]) => {
      const { indexOf, snap } = await import("/editor/gestures/snap.js");
      return snap(box, indexOf(others), reach);
    }"""
    yield lambda *arguments: page.evaluate(script, list(arguments))
    page.close()


def at(x: float, y: float, **size: float) -> dict[str, float]:
    return {"x": x, "y": y, **SIZE, **size}


def test_a_box_near_a_line_of_another_is_drawn_to_it_and_a_guide_shows_both(snap: Snap) -> None:
    found = snap(at(4, 300), [at(0, 0)], 6)
    assert (found["dx"], found["dy"]) == (-4, 0)
    assert found["guides"] == [[100, 0, 100, 400]], "one guide, through the middles"


def test_boxes_of_other_sizes_line_up_by_the_edges_that_are_near(snap: Snap) -> None:
    found = snap(at(98, 300, width=105), [at(0, 0)], 6)
    assert found["dx"] == -3
    assert found["guides"] == [[200, 0, 200, 400]], "along the right edges"


def test_a_guide_runs_through_all_that_lines_up(snap: Snap) -> None:
    found = snap(at(900, 2), [at(0, 0), at(300, 0), at(500, 700)], 6)
    assert found["dy"] == -2
    assert [0, 50, 1100, 50] in found["guides"]


def test_nothing_within_reach_leaves_a_box_where_it_is(snap: Snap) -> None:
    assert snap(at(50, 300), [at(0, 0)], 6) == {"dx": 0, "dy": 0, "guides": []}
    assert snap(at(0, 0), [], 6) == {"dx": 0, "dy": 0, "guides": []}


@pytest.mark.parametrize(
    ("box", "others", "x", "gaps"),
    [
        (at(303, 20), [at(0, 0), at(600, 40)], 300, [[200, 300], [500, 600]]),
        (at(597, 20), [at(0, 0), at(300, 40)], 600, [[200, 300], [500, 600]]),
        (at(-303, 20), [at(0, 0), at(300, 40)], -300, [[-100, 0], [200, 300]]),
    ],
)
def test_equal_gaps_in_a_row_draw_a_box_too(
    snap: Snap,
    box: dict[str, float],
    others: list[dict[str, float]],
    x: float,
    gaps: list[list[float]],
) -> None:
    found = snap(box, others, 6)
    assert box["x"] + found["dx"] == x
    assert [[start, end] for start, _, end, _ in found["guides"]] == gaps


def test_equal_gaps_in_a_column_count_as_well(snap: Snap) -> None:
    found = snap(at(20, 304), [at(0, 0), at(40, 150)], 6)
    assert found["dy"] == -4
    assert [[start, end] for _, start, _, end in found["guides"]] == [[100, 150], [250, 300]]
