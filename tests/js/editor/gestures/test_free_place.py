"""Free places for one more card: pure functions of boxes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

WIDTH, HEIGHT = 216, 96
FREE = "editor/gestures/free-place.js"


@pytest.fixture
def place(module: Callable[..., Any]) -> Callable[..., Any]:
    """The nearest free place: `place(wanted, cards, air)`."""
    return partial(module, "editor/gestures/free-place.js", "nearestPlace")


def at(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def test_a_place_that_is_free_is_taken(place: Callable[..., Any]) -> None:
    assert place(at(10.4, 20.6), []) == at(10, 21)
    assert place(at(0, 0), [at(WIDTH + 24, 0)], 24) == at(0, 0)


def test_a_card_in_the_way_is_passed_on_the_nearer_side(place: Callable[..., Any]) -> None:
    assert place(at(10, 40), [at(0, 0)], 24) == at(10, HEIGHT + 24), "below"
    assert place(at(10, -40), [at(0, 0)], 24) == at(10, -HEIGHT - 24), "above"
    assert place(at(200, 0), [at(0, 0)], 24) == at(WIDTH + 24, 0), "beside"


def test_a_place_between_cards_is_free_of_each(place: Callable[..., Any]) -> None:
    crowd = [at(x * 260, y * 130) for x in range(12) for y in range(12)]
    found = place(at(1400, 700), crowd, 24)
    apart = [
        abs(card["x"] - found["x"]) >= WIDTH + 24 or abs(card["y"] - found["y"]) >= HEIGHT + 24
        for card in crowd
    ]
    assert all(apart)


def test_a_chosen_place_is_kept_unless_a_card_came_to_cover_it(module: Callable[..., Any]) -> None:
    assert module(FREE, "unlessCovered", at(WIDTH, 0), [at(0, 0)]) == at(WIDTH, 0)
    assert module(FREE, "unlessCovered", at(0, 0), [at(0, 0)]) == at(0, HEIGHT + 56)


def test_a_free_place_is_the_wanted_one_where_nothing_stands(module: Callable[..., Any]) -> None:
    assert module(FREE, "freePlace", at(10, 20), [at(900, 900)]) == at(10, 20)


def test_a_free_place_lies_below_the_existing_cards(module: Callable[..., Any]) -> None:
    cards = [at(0, 0), at(0, 120.5), at(0, 241)]
    place = module(FREE, "freePlace", at(10, 10), cards)
    assert place["y"] >= 241 + HEIGHT + 50, "an edge between them is seen"
    assert place["x"] == 10
