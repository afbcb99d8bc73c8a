"""Completion of names in the field of instructions."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest


@pytest.fixture
def prompt(module: Callable[..., Any]) -> Callable[..., Any]:
    return partial(module, "editor/panels/prompt-field.js")


@pytest.mark.parametrize(
    ("trigger", "before", "typed"),
    [
        ("@", "Ask @", "@"),
        ("@", "Ask @re-v_2", "@re-v_2"),
        ("@", "(@re", "@re"),
        ("@", "@one and @two", "@two"),
        ("@", "Ask @review then", None),
        ("@", "Write to help@example", None),
        ("@", "größe@", None),
        ("@", "Ask", None),
        ("{{", "Dear {{customer.na", "{{customer.na"),
    ],
)
def test_a_name_is_completed_after_its_trigger(
    prompt: Callable[..., Any], trigger: str, before: str, typed: str | None
) -> None:
    assert prompt("typedAfter", trigger, before) == typed


@pytest.mark.parametrize(
    ("typed", "name", "fits"),
    [
        ("", "review", True),
        ("Re", "review", True),
        ("pol", "read_policy", True),
        ("ev", "review", False),
    ],
)
def test_a_name_matches_from_the_start_of_each_word(
    prompt: Callable[..., Any], typed: str, name: str, *, fits: bool
) -> None:
    assert prompt("isMatch", typed, name) is fits
