"""Fixes of problems."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from pydantic import ValidationError

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.editor.actions.topology import free_position
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.loading import fault_from
from orchestration.validation import HELP, Fix, Issue, apply_fix, can_fix_all, find_fix, validate

MAX_FIXED = 200
"""Maximum number of problems that are fixed at once."""


@edit_action
def fix_all_issues(*, pipeline: Pipeline, user: User, code: str) -> Change:
    """Fix the issues of a rule, as one edit. Nothing is removed.

    Raises `GoneError` if there is no such issue, or no fix for it.
    """
    pipeline = current_row(pipeline)
    old = new = definitions.read(pipeline)
    issues = [issue for issue in validate(old) if issue.code == code and can_fix_all(code)]
    fixed = 0
    for issue in issues[:MAX_FIXED]:
        fix = find_fix(new, issue)
        if fix is not None and fix.is_repair:
            new = _apply(new, fix)
            fixed += 1
    if not fixed:
        raise GoneError("These problems no longer exist.")
    label = f"Fix {fixed} problems: {HELP[code].title}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch.between(old, new))


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
    patch = Patch.between(old, _apply(old, fix))
    return make_edit(pipeline=pipeline, user=user, label=fix.title, patch=patch)


def _apply(definition: PipelineDefinition, fix: Fix) -> PipelineDefinition:
    """Return the definition after a fix, with positions for the stages that it adds."""
    try:
        fixed = apply_fix(definition, fix)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        messages = (fault_from(fault).message for fault in faults[:3])
        raise RefusedError(" ".join(messages)) from None
    added = [stage.phase for stage in fixed.stages if stage.phase not in definition.stages_by_phase]
    for phase in added:
        source = next((edge.source for edge in fixed.transitions if edge.target == phase), "")
        positions = {**fixed.layout.stages, phase: free_position(fixed, source)}
        layout = fixed.layout.model_copy(update={"stages": positions})
        fixed = fixed.model_copy(update={"layout": layout})
    return fixed
