"""Form of a problem's button: the issue to fix."""

from __future__ import annotations

import re
from hashlib import blake2b

from django import forms

from designer.core import BatonForm
from orchestration.validation import Issue

SEPARATOR = "|"


def issue_token(issue: Issue) -> str:
    """Return a short identifier of an issue: its code, and a digest of its location.

    It does not change when parts before the location are added or deleted.
    """
    where = issue.where
    location = "\n".join((where.kind, _INDEX.sub("", where.path, count=1), *where.keys))
    return f"{issue.code}{SEPARATOR}{blake2b(location.encode(), digest_size=8).hexdigest()}"


_INDEX = re.compile(r"\[\d+\]")


class FixForm(BatonForm):
    """The issue to fix, as a token from `issue_token`."""

    issue = forms.CharField(
        max_length=1_000,
        error_messages={"required": "The problem is missing. Choose the problem to fix."},
    )


class FixAllForm(BatonForm):
    """The rule whose issues to fix, by its code."""

    code = forms.CharField(max_length=100)
