"""What the button of a problem sends: which issue is to be mended."""

from __future__ import annotations

from hashlib import blake2b

from django import forms

from orchestration.validation import Issue

SEPARATOR = "|"


def token_of(issue: Issue) -> str:
    """An issue in one line: its code, the JSON path of what is to change, and a digest of the rest.

    It is as short for an issue about a thousand stages as for one about one.
    """
    pointed_to = blake2b(">".join(issue.where.keys).encode(), digest_size=8).hexdigest()
    return SEPARATOR.join((issue.code, issue.where.path, pointed_to))


class FixForm(forms.Form):
    """The issue that is to be mended, as `token_of` writes it."""

    issue = forms.CharField(
        max_length=1_000, error_messages={"required": "Say which problem is to be mended."}
    )
