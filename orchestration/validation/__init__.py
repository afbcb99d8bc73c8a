"""Validation of a definition: `validate` returns every issue at once.

A rule is a small generator: it reads a `Draft` and yields issues. Rules never raise, do not depend
on each other, and take time linear in the parts that they check.

An `Inspection` keeps the issues of a definition. After a change the rules check only the parts
whose issues may differ.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.definition import PipelineDefinition
from orchestration.validation.changed_parts import ChangedParts
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.fixes import apply_fix, can_fix_all, find_fix, find_fixes
from orchestration.validation.incremental import Inspection
from orchestration.validation.issues import (
    Issue,
    Kind,
    Severity,
    Where,
    error,
    json_path,
    path_steps,
)
from orchestration.validation.rule_help import Explanation, RuleHelp
from orchestration.validation.rule_list import HELP, REFERENCE_RULES, RULES, STORAGE_RULES, Rule
from orchestration.validation.rules.agents import uninstructed_agents

__all__ = [
    "HELP",
    "REFERENCE_RULES",
    "RULES",
    "STORAGE_RULES",
    "ChangedParts",
    "Draft",
    "Explanation",
    "Fix",
    "Inspection",
    "Issue",
    "Kind",
    "Rule",
    "RuleHelp",
    "Severity",
    "Where",
    "apply_fix",
    "can_fix_all",
    "error",
    "errors",
    "find_fix",
    "find_fixes",
    "json_path",
    "path_steps",
    "uninstructed_agents",
    "validate",
]


def validate(definition: PipelineDefinition) -> tuple[Issue, ...]:
    """Return all issues of a definition: errors, then warnings, each in the order of `RULES`."""
    return Inspection(definition).issues


def errors(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues that block a rehearsal."""
    return tuple(issue for issue in issues if issue.severity == "error")
