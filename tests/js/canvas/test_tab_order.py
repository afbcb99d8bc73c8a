"""The order in which Tab moves through the stages."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

Order = Callable[..., list[str]]


@pytest.fixture
def order(module: Callable[..., Any]) -> Order:
    """Call `flowOrder` of static/js/canvas/tab-order.js."""
    return partial(module, "canvas/tab-order.js", "flowOrder")


def cards(**places: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"id": key, "x": x, "y": y} for key, (x, y) in places.items()]


def links(*ends: str) -> list[dict[str, Any]]:
    """Return links from "a>b" (next) and "a~b" (return)."""
    return [
        {"id": text, "source": text[0], "target": text[2], "isNext": text[1] == ">"}
        for text in ends
    ]


def test_the_entry_is_first_and_the_next_stage_follows(order: Order):
    drawn = cards(c=(0, 0), b=(300, 0), a=(600, 0))
    assert order(drawn, links("b>c", "a>b"), "a") == ["a", "b", "c"]


def test_other_targets_follow_from_top_to_bottom_after_the_next_one(order: Order):
    drawn = cards(a=(0, 0), low=(300, 200), top=(300, -100), n=(300, 0))
    drawn = [card | {"id": card["id"][0]} for card in drawn]
    assert order(drawn, links("a~l", "a~t", "a>n", "n~a"), "a") == ["a", "n", "t", "l"]


def test_stages_without_a_transition_come_last_from_left_to_right(order: Order):
    drawn = cards(z=(900, 0), y=(100, 0), a=(500, 0))
    assert order(drawn, links("a>x"), "a") == ["a", "y", "z"]
    assert order(drawn, [], "") == ["y", "a", "z"]
