"""Fixes of issues: `find_fix` returns a fix, `apply_fix` applies it to a copy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.issues import Issue, path_steps
from orchestration.validation.rule_list import HELP


def find_fix(definition: PipelineDefinition, issue: Issue) -> Fix | None:
    """Return the fix of an issue of this definition; None if a person has to choose."""
    return find_fixes(definition, [issue])[0]


def find_fixes(
    definition: PipelineDefinition, issues: Iterable[Issue], draft: Draft | None = None
) -> list[Fix | None]:
    """Return the fix of each issue of this definition: `find_fix` for several issues.

    `draft` is the definition's draft, if the rules have one.
    """
    draft = draft or Draft(definition)
    rules = [(HELP.get(issue.code), issue) for issue in issues]
    return [rule.fix(draft, issue) if rule and rule.fix else None for rule, issue in rules]


def can_fix_all(code: str) -> bool:
    """Report whether several issues of a rule can be fixed at once."""
    return code in HELP and HELP[code].can_fix_all


def apply_fix(definition: PipelineDefinition, fix: Fix) -> PipelineDefinition:
    """Return the definition after the steps of a fix.

    Raises pydantic's `ValidationError` for an invalid result, for example too many agents.
    """
    data = definition.model_dump(mode="json")
    for action, path, value in fix.steps:
        *parents, last = path_steps(path)
        parent: Any = data
        for step in parents:
            parent = parent[step]
        match action:
            case "set":
                parent[last] = value
            case "append":
                parent[last].append(value)
            case "remove":
                del parent[last]
    return PipelineDefinition.model_validate(data)
