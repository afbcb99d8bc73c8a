"""Fixes of problems."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from pydantic import ValidationError

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.models import Pipeline
from orchestration.loading.error_messages import fault_from
from orchestration.validation import Issue, apply_fix, find_fix, validate


@edit_action
def fix_issue(*, pipeline: Pipeline, user: User, is_meant: Callable[[Issue], bool]) -> Change:
    """Fix the first issue that `is_meant` accepts, as one edit.

    Raises `GoneError` if there is no such issue, or no fix for it.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    issue = next(filter(is_meant, validate(old)), None)
    fix = find_fix(old, issue) if issue else None
    if issue is None or fix is None:
        raise GoneError("That problem no longer exists.")
    try:
        new = apply_fix(old, fix)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        messages = (fault_from(fault).message for fault in faults[:3])
        raise RefusedError(" ".join(messages)) from None
    patch = Patch.between(old, new)
    return make_edit(pipeline=pipeline, user=user, label=fix.title, patch=patch)
