"""Feedback on answers in the chat."""

from collections.abc import Callable
from typing import Any

import pytest

LAST = """async (items) => {
  const { lastFeedback } = await import("/rehearsal/feedback.js");
  const list = items.map(([data, textContent]) => {
    const item = Object.assign(document.createElement("li"), { textContent });
    Object.assign(item.dataset, data);
    return item;
  });
  return Object.fromEntries(lastFeedback(list));
}"""


def test_the_last_feedback_on_an_answer_counts(run: Callable[..., Any]) -> None:
    up = {"about": "7", "rating": "up", "by": "Ada"}
    items = [[up, "Good."], [up | {"about": "9"}, ""], [up | {"rating": "down", "by": "Bo"}, "No."]]
    assert run(LAST, items) == {
        "7": {"rating": "down", "by": "Bo", "comment": "No."},
        "9": {"rating": "up", "by": "Ada", "comment": ""},
    }


@pytest.mark.parametrize(
    ("rating", "pressed", "now"), [("", "up", "up"), ("up", "down", "down"), ("down", "down", "")]
)
def test_a_second_press_on_a_thumb_takes_the_rating_back(
    module: Callable[..., Any], rating: str, pressed: str, now: str
) -> None:
    assert module("rehearsal/feedback.js", "toggled", rating, pressed) == now
