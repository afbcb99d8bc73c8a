"""Suggestions of known names for a misspelt one."""

from __future__ import annotations

import pytest

from orchestration.names import closest_names, did_you_mean


@pytest.mark.parametrize(
    ("name", "names", "closest"),
    [
        ("billng", ["triage", "billing"], ["billing"]),
        ("BILLING", ["billing"], ["billing"]),
        ("support", ["Customer support", "Sales"], ["Customer support"]),
        ("a", ["bar", "baz"], []),
        ("desk", ["desk 1", "desk 2", "desk 3", "desk 4"], ["desk 4", "desk 3", "desk 2"]),
        ("id", ["kind", "phase"], []),
        ("nmae", ["name"], ["name"]),
        ("url", ["uri", "urn"], ["urn", "uri"]),
        ("anything", [], []),
    ],
)
def test_similar_names_and_names_that_contain_the_text_are_suggested(name, names, closest):
    assert closest_names(name, names) == closest


def test_the_question_names_each_suggestion_and_is_empty_without_any():
    assert did_you_mean("emial", ["email", "emails"]) == " Did you mean 'email'?"
    assert did_you_mean("mail", ["email", "emails"]) == " Did you mean 'email' or 'emails'?"
    assert did_you_mean("emial", ["voice"]) == ""
