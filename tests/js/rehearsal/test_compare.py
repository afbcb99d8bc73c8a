"""Steps from difference to difference."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("current", "step", "now"),
    [(0, 1, 1), (1, 1, 2), (3, 1, 3), (3, -1, 2), (1, -1, 1)],
)
def test_a_step_leads_to_the_next_difference_and_stays_at_the_ends(
    module: Callable[..., Any], current: int, step: int, now: int
) -> None:
    assert module("rehearsal/compare.js", "nextDifference", current, step, 3) == now
