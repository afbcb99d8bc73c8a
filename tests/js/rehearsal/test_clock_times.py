"""Times of day in the reader's time zone."""

from collections.abc import Callable
from typing import Any


def test_a_clock_time_has_seconds_where_the_row_has_them(module: Callable[..., Any]) -> None:
    moment = "2026-01-01T12:34:56"
    assert module("rehearsal/clock-times.js", "clock", moment, True) == "12:34:56"
    assert module("rehearsal/clock-times.js", "clock", moment, False) == "12:34"
