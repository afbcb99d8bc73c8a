"""Matches of a few letters in the palette, and their marked letters."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

Fuzzy = Callable[..., Any]


@pytest.fixture
def fuzzy(module: Callable[..., Any]) -> Fuzzy:
    return partial(module, "core/fuzzy-match.js")


def marked(fuzzy: Fuzzy, query: str, text: str) -> str | None:
    """Return the matched letters of the text; None if it does not match."""
    found = fuzzy("match", query, text)
    return found and "".join(text[mark] for mark in found["marks"])


@pytest.mark.parametrize(
    ("query", "text", "letters"),
    [
        ("zoom", "Zoom in", "Zoom"),
        ("in zo", "Zoom in", "Zoin"),
        ("as", "Add a stage", "As"),
        ("sall", "Select all stages", "Sall"),
        ("älte", "Ältere Fälle", "Älte"),
        ("", "Zoom in", ""),
        ("dd", "Add a stage", "dd"),
        ("mooz", "Zoom in", None),
        ("zoom x", "Zoom in", None),
        ("(", "Zoom in", None),
    ],
)
def test_a_text_fits_by_parts_of_words_or_by_letters_in_their_order(
    fuzzy: Fuzzy, query: str, text: str, letters: str | None
) -> None:
    assert marked(fuzzy, query, text) == letters


def test_prefixes_rank_above_parts_and_parts_above_scattered_letters(
    module: Callable[..., Any],
) -> None:
    texts = ["Select all tools", "Install it", "Allow", "Undo"]
    scores = [module("core/fuzzy-match.js", "match", "all", text) for text in texts]
    ranked = sorted(
        (text for text, score in zip(texts, scores, strict=True) if score),
        key=lambda text: -module("core/fuzzy-match.js", "match", "all", text)["score"],
    )
    assert ranked == ["Allow", "Select all tools", "Install it"]
