"""Values that are not among the suggestions of their field."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

SUGGESTIONS = [
    {"value": "agent-billing", "label": "Billing"},
    {"value": "my-stage", "label": "my-stage"},
]


@pytest.fixture
def known(module: Callable[..., Any]) -> Callable[..., Any]:
    return partial(module, "editor/panels/known-values.js")


@pytest.mark.parametrize(
    ("text", "is_list", "is_typing", "unknown"),
    [
        ("agent-billing", False, False, []),
        ("billing", False, False, []),
        ("My Stage", False, False, []),
        ("bill", False, True, []),
        ("bill", False, False, ["bill"]),
        ("bull", False, True, ["bull"]),
        ("", False, False, []),
        ("my-stage\nnone, billing", True, False, ["none"]),
    ],
)
def test_a_value_that_is_no_suggestion_is_unknown(
    known: Callable[..., Any], text: str, unknown: list[str], *, is_list: bool, is_typing: bool
) -> None:
    assert known("unknownValues", text, SUGGESTIONS, is_list, is_typing) == unknown


def test_a_similar_name_suggests_the_value_of_its_part(known: Callable[..., Any]) -> None:
    assert known("similarTo", "Biling", SUGGESTIONS) == SUGGESTIONS[:1]
    assert known("similarTo", "unlike", SUGGESTIONS) == []


def test_only_the_misspelt_value_of_a_list_is_replaced(known: Callable[..., Any]) -> None:
    assert known("replaceValue", "sms, emial\nweb", "emial", "email") == "sms, email\nweb"
