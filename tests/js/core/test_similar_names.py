"""Known names that are similar to a misspelt one."""

from collections.abc import Callable
from typing import Any

import pytest

NAMES = ["intake", "billing", "review", "resolution"]


@pytest.mark.parametrize(
    ("text", "similar"),
    [
        ("bilings", ["billing"]),
        ("BILLNG", ["billing"]),
        ("reveiw", ["review"]),
        ("resol", ["resolution"]),
        ("review", ["review"]),
        ("zebra", []),
        ("", []),
    ],
)
def test_the_most_similar_names_are_suggested(
    module: Callable[..., Any], text: str, similar: list[str]
) -> None:
    assert module("core/similar-names.js", "similarNames", text, NAMES) == similar
