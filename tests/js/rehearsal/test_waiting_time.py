"""Words for a model that has not answered yet."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, ""), (2.9, ""), (3, "waiting for the model · 3 s"), (8.7, "waiting for the model · 8 s")],
)
def test_a_wait_is_shown_after_three_seconds(
    module: Callable[..., Any], seconds: float, words: str
) -> None:
    assert module("rehearsal/waiting-time.js", "waitingText", seconds) == words
