"""Names that are said aloud: some of them, and how many more there are."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, ""),
        (2, "s0, s1"),
        (6, "s0, s1, s2, s3, s4, s5"),
        (300, "s0, s1, s2, s3, s4 and 295 more"),
    ],
)
def test_of_many_names_only_the_first_are_said(
    module: Callable[..., Any], count: int, said: str
) -> None:
    assert (
        module("core/list-names.js", "listNames", [f"s{number}" for number in range(count)]) == said
    )
