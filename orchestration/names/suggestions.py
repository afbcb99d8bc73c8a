"""Suggestions of known names for a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from math import ceil

MAX_SUGGESTIONS = 3

MAX_CANDIDATES = 20
"""Maximum number of names that are compared letter by letter."""

MIN_PART = 3
"""Minimum length of a name that is similar to every name that contains it."""

LETTERS_PER_CHANGE = 3
"""Number of letters of the shorter name for which one letter may differ."""


def closest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names most similar to a text, the most similar first; case is ignored.

    >>> closest_names("Helper", ["triage", "helpers", "HELPER"])
    ['HELPER', 'helpers']
    """
    folded: dict[str, str] = {}
    for each in names:
        folded.setdefault(each.casefold(), each)
    text = name.strip().casefold()
    candidates = get_close_matches(text, folded, MAX_CANDIDATES)
    similar = [each for each in candidates if _is_close(text, each)]
    similar += [each for each in folded if _is_part(text, each) and each not in similar]
    return [folded[each] for each in similar[:MAX_SUGGESTIONS]]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question with the most similar names, preceded by a space; empty without any.

    >>> did_you_mean("emial", ["email", "sms"])
    " Did you mean 'email'?"
    """
    similar = [repr(each) for each in closest_names(name, names)]
    return f" Did you mean {' or '.join(similar)}?" if similar else ""


def _is_close(text: str, name: str) -> bool:
    """Return whether few letters differ; a ratio alone would suggest `kind` for `id`."""
    changes = sum(
        max(i2 - i1, j2 - j1)
        for kind, i1, i2, j1, j2 in SequenceMatcher(None, text, name).get_opcodes()
        if kind != "equal"
    )
    return changes <= ceil(min(len(text), len(name)) / LETTERS_PER_CHANGE) or _is_part(text, name)


def _is_part(text: str, name: str) -> bool:
    short, long = sorted((text, name), key=len)
    return len(short) >= MIN_PART and short in long
