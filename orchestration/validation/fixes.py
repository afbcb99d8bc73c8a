"""Fixes of issues: `offer` finds one, `mend` applies it; neither changes its input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.issues import Issue, path_steps
from orchestration.validation.rule_list import HELP


def offer(definition: PipelineDefinition, issue: Issue) -> Fix | None:
    """Return the fix of an issue of this definition; None if a person has to choose."""
    return offers(definition, [issue])[0]


def offers(
    definition: PipelineDefinition, issues: Iterable[Issue], draft: Draft | None = None
) -> list[Fix | None]:
    """Return the fix of each issue of this definition: `offer` for all of them at once.

    `draft` is the definition's draft, if the rules have one.
    """
    draft = draft or Draft(definition)
    makers = ((HELP[issue.code].fix if issue.code in HELP else None, issue) for issue in issues)
    return [make(draft, issue) if make else None for make, issue in makers]


def mend(definition: PipelineDefinition, fix: Fix) -> PipelineDefinition:
    """The definition with the steps taken.

    Raises pydantic's `ValidationError` where the outcome would be none (too many agents, say).
    """
    data = definition.model_dump(mode="json")
    for action, path, value in fix.steps:
        *way, last = path_steps(path)
        place: Any = data
        for step in way:
            place = place[step]
        match action:
            case "set":
                place[last] = value
            case "append":
                place[last].append(value)
            case "remove":
                del place[last]
    return PipelineDefinition.model_validate(data)
