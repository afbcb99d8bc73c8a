"""Texts shortened to the width of a drawing."""

from __future__ import annotations

import pytest

from designer.versions.drawing.text_fit import fitted, text_width, wrapped


def test_a_text_that_fits_is_not_shortened():
    assert fitted("Billing", 200, 20) == "Billing"


@pytest.mark.parametrize(
    "text", ["Technical support of the north", "WWWWWWWWWWWW", "顧客対応の窓口です", "illi" * 9]
)
def test_a_shortened_text_fits_and_ends_with_an_ellipsis(text):
    short = fitted(text, 90, 20, is_bold=True)
    assert short.endswith("…")
    assert text.startswith(short[:-1])
    assert text_width(short, 20, is_bold=True) <= 90


def test_a_text_is_wrapped_at_words():
    assert wrapped("Rehearse it: say hello", 140, 20, 3) == ["Rehearse it:", "say hello"]


def test_the_last_line_shows_that_the_text_goes_on():
    lines = wrapped("one two three four five six seven", 110, 20, 2)
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert all(text_width(line, 20) <= 110 for line in lines)
