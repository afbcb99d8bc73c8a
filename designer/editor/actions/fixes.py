"""Mending what a rule found, where it says how."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import ValidationError

from designer import definitions
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch
from designer.models import Pipeline
from orchestration.loading.error_messages import fault_from
from orchestration.validation import Issue, mend, offer, validate


@transaction.atomic
def fix_issue(*, pipeline: Pipeline, user: User, is_meant: Callable[[Issue], bool]) -> Change:
    """Take the steps that mend the first issue that is meant, as one edit.

    Raises `GoneError` where there is none any more, or none that can be mended.
    """
    pipeline = lock(pipeline)
    old = definitions.read(pipeline)
    issue = next(filter(is_meant, validate(old)), None)
    fix = offer(old, issue) if issue else None
    if issue is None or fix is None:
        raise GoneError("That problem is not there any more.")
    try:
        new = mend(old, fix)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise RefusedError(" ".join(fault_from(one).message for one in faults[:3])) from None
    patch = Patch.between(old, new)
    return make_edit(pipeline=pipeline, user=user, label=fix.title, patch=patch)
