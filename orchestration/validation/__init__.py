"""Validation of a definition: `validate` returns every issue at once.

A rule is a small generator that looks at a `Draft` and yields issues. None raises, whatever the
definition holds, and none knows another. Each takes time linear in what it looks at.

An `Inspection` keeps what was found, and looks again only where a definition that follows may be
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.definition import PipelineDefinition
from orchestration.validation.draft import Draft
from orchestration.validation.focus import Touched
from orchestration.validation.inspection import Inspection
from orchestration.validation.issues import Issue, Kind, Severity, Where
from orchestration.validation.rules import RULES, Rule

__all__ = [
    "RULES",
    "Draft",
    "Inspection",
    "Issue",
    "Kind",
    "Rule",
    "Severity",
    "Touched",
    "Where",
    "errors",
    "validate",
]


def validate(definition: PipelineDefinition) -> tuple[Issue, ...]:
    """All issues of a definition: errors before warnings, each in the order of `RULES`."""
    return Inspection(definition).issues


def errors(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues that block a rehearsal."""
    return tuple(issue for issue in issues if issue.severity == "error")
