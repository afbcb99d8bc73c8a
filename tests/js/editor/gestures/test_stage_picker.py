"""Order of the options for a new stage."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("typed", "names", "is_first"),
    [
        ("Billing", ["Triage", "Writer"], True),
        ("writ", ["Triage", "Writer"], False),
        ("desk", ["Front desk"], True),
        ("FRONT D", ["Front desk"], False),
        ("Writers", ["Writer"], True),
    ],
)
def test_a_new_name_comes_first_unless_an_agents_name_begins_with_it(
    module: Callable[..., Any], typed: str, names: list[str], *, is_first: bool
) -> None:
    assert module("editor/gestures/stage-picker.js", "isNewFirst", typed, names) is is_first
