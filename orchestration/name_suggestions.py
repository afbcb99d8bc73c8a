"""Suggestions of known names for a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_SUGGESTIONS = 3

MIN_PART = 3
"""Minimum length of a part of a name that suggests the whole name."""


def closest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names most similar to a text, the most similar first; case is ignored.

    >>> closest_names("Helper", ["triage", "helpers", "HELPER"])
    ['HELPER', 'helpers']
    """
    folded: dict[str, str] = {}
    for each in names:
        folded.setdefault(each.casefold(), each)
    text = name.strip().casefold()
    similar = get_close_matches(text, folded, MAX_SUGGESTIONS)
    if len(text) >= MIN_PART:
        similar += [each for each in folded if text in each and each not in similar]
    return [folded[each] for each in similar[:MAX_SUGGESTIONS]]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question with the most similar names, preceded by a space; empty without any.

    >>> did_you_mean("emial", ["email", "sms"])
    " Did you mean 'email'?"
    """
    similar = [repr(each) for each in closest_names(name, names)]
    return f" Did you mean {' or '.join(similar)}?" if similar else ""
