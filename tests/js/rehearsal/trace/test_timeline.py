"""The scale of the timeline, for runs of any length."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

SECOND, MINUTE = 1_000, 60_000


@pytest.fixture
def timeline(module: Callable[..., Any]) -> Callable[..., Any]:
    return partial(module, "rehearsal/trace/timeline.js")


@pytest.mark.parametrize("width", [260, 1200, 12_000])
@pytest.mark.parametrize("length", [1, 40, 2 * SECOND, 45 * SECOND, 10 * MINUTE, 300 * MINUTE])
def test_times_stand_at_even_distances_with_room_to_be_read(
    timeline: Callable[..., Any], length: int, width: int
) -> None:
    marks = timeline("marks", length, width)
    assert marks[0] == 0
    assert marks[-1] <= length
    assert len(marks) <= width / 60 + 1
    steps = {after - before for before, after in pairwise(marks)}
    assert len(steps) <= 1
    assert all(step * width / length >= 60 for step in steps)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (0, "0 ms"),
        (200, "200 ms"),
        (2 * SECOND, "2 s"),
        (MINUTE, "1:00 min"),
        (630_000, "10:30 min"),
    ],
)
def test_times_are_written_in_the_unit_that_is_read_best(
    timeline: Callable[..., Any], time: int, words: str
) -> None:
    assert timeline("inWords", time) == words


@pytest.mark.parametrize(
    ("width", "title", "is_held"),
    [
        (24, "Run 1 · Hello", True),
        (24, "Run 12 · Hello", False),
        (44, "Run 11-12 · Hello\nyou", False),
        (60, "Run 11-12 · Hello", True),
    ],
)
def test_a_run_has_its_number_where_it_is_not_cut_off(
    timeline: Callable[..., Any], width: int, title: str, is_held: bool
) -> None:
    assert timeline("holdsName", width, title) is is_held
