"""Form of a problem's button: the issue to fix."""

from __future__ import annotations

import re
from hashlib import blake2b

from django import forms

from designer.core import WordedForm
from orchestration.validation import Issue

SEPARATOR = "|"


def token_of(issue: Issue) -> str:
    """An issue in one line: its code, and a digest of what it points to.

    It is as short for an issue about a thousand stages as for one about one, and stays the same
    where the parts before the one that it points to come or go.
    """
    where = issue.where
    pointed_to = "\n".join((where.kind, _PLACE.sub("", where.path, count=1), *where.keys))
    return f"{issue.code}{SEPARATOR}{blake2b(pointed_to.encode(), digest_size=8).hexdigest()}"


_PLACE = re.compile(r"\[\d+\]")


class FixForm(WordedForm):
    """The issue that is to be mended, as `token_of` writes it."""

    issue = forms.CharField(
        max_length=1_000, error_messages={"required": "Say which problem is to be mended."}
    )
