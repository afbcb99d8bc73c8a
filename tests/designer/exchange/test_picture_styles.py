"""Styles of pictures without variables, nested rules and functions."""

import re

import pytest

from designer.exchange.picture_styles import plain_colours, plain_styles


def test_rules_for_changed_parts_are_left_out():
    styles = plain_styles("light", font="Inter")
    assert ".difference-picture{color:#1d1f24;font:20px Inter,sans-serif}" in styles
    assert ".difference-picture .difference-card__agent{font-weight: 600;}" in styles
    assert ".is-" not in styles
    assert not re.search(r"var\(|[{;]\s*--", styles)


@pytest.mark.parametrize(
    ("colour", "light", "dark"),
    [
        ("oklch(62.8% 0.2577 29.23)", "#ff0000", "#ff0000"),
        ("oklch(100% 0 0)", "#ffffff", "#ffffff"),
        ("light-dark(oklch(0% 0 0), oklch(100% 0 0))", "#000000", "#ffffff"),
        ("var(--paper)", "#faf9f6", "#15171b"),
    ],
)
def test_a_colour_is_that_of_the_theme(colour, light, dark):
    assert plain_colours(f'<g fill="{colour}"/>', "light") == f'<g fill="{light}"/>'
    assert plain_colours(f'<g stroke="{colour}"/>', "dark") == f'<g stroke="{dark}"/>'


def test_a_text_is_not_a_colour():
    text = "<text>light-dark(#fff, #000) fill=&quot;var(--ink)&quot;</text>"
    assert plain_colours(text, "light") == text
