"""What the button of a problem sends: which issue is to be mended."""

from __future__ import annotations

from django import forms

from orchestration.validation import Issue

SEPARATOR = "|"


def token_of(issue: Issue) -> str:
    """An issue in one line: its code, what it points to, and the JSON path of what is to change."""
    return SEPARATOR.join((issue.code, ">".join(issue.where.keys), issue.where.path))


class FixForm(forms.Form):
    """The issue that is to be mended, as `token_of` writes it."""

    issue = forms.CharField(
        max_length=200_000, error_messages={"required": "Say which problem is to be mended."}
    )
