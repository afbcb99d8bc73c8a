"""Validation of a definition: `validate` returns every issue at once.

A rule is a small generator that looks at a `Draft` and yields issues. None raises, whatever the
definition holds, and none knows another. Each takes time linear in what it looks at.

An `Inspection` keeps what was found, and looks again only where a definition that follows may be
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.definition import PipelineDefinition
from orchestration.validation.changed_parts import Touched
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.fixes import mend, offer, offers
from orchestration.validation.incremental import Inspection
from orchestration.validation.issues import Issue, Kind, Severity, Where, error, json_path
from orchestration.validation.rule_help import Explanation, RuleHelp
from orchestration.validation.rule_list import HELP, RULES, Rule

__all__ = [
    "HELP",
    "RULES",
    "Draft",
    "Explanation",
    "Fix",
    "Inspection",
    "Issue",
    "Kind",
    "Rule",
    "RuleHelp",
    "Severity",
    "Touched",
    "Where",
    "error",
    "errors",
    "json_path",
    "mend",
    "offer",
    "offers",
    "validate",
]


def validate(definition: PipelineDefinition) -> tuple[Issue, ...]:
    """All issues of a definition: errors before warnings, each in the order of `RULES`."""
    return Inspection(definition).issues


def errors(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues that block a rehearsal."""
    return tuple(issue for issue in issues if issue.severity == "error")
