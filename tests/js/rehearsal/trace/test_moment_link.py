"""Links to a moment of a conversation."""

from collections.abc import Callable
from typing import Any

import pytest

FILE = "rehearsal/trace/moment-link.js"


@pytest.mark.parametrize(
    ("search", "moment"),
    [
        ("?at=14", 14),
        ("?at=20", None),
        ("?at=99", None),
        ("?at=0", None),
        ("?at=x", None),
        ("", None),
    ],
)
def test_an_address_names_an_event_before_the_last(
    module: Callable[..., Any], search: str, moment: int | None
) -> None:
    assert module(FILE, "momentOf", search, 20) == moment


def test_a_link_to_an_event_replaces_an_earlier_one(module: Callable[..., Any]) -> None:
    page = "https://baton.test/watch/abc/?at=3#event-3"
    assert module(FILE, "linkTo", page, 14) == "https://baton.test/watch/abc/?at=14"
