"""Readable labels while cards are moving: a pure function of boxes."""

from collections.abc import Callable
from typing import Any


def test_of_labels_that_meet_cards_or_one_another_the_first_that_is_clear_is_seen(
    module: Callable[..., Any],
) -> None:
    def label(name: str, x: float) -> dict[str, Any]:
        return {"name": name, "box": {"x": x, "y": 100, "width": 50, "height": 20}}

    labels = [label("free", 0), label("meets it", 40), label("beside", 60), label("on a card", 480)]
    standing = {"x": 595, "y": 110, "width": 40, "height": 20}
    labels.append(label("on one at rest", 630))
    seen = module(
        "canvas/edges/readable-labels.js", "readable", labels, [{"x": 300, "y": 90}, standing]
    )
    assert [one["name"] for one in seen] == ["free", "beside"]
