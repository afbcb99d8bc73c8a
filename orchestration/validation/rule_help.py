"""Help of a rule: its explanation, an example and its fix, next to the rule itself."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.definition import PipelineDefinition
from orchestration.validation.fix_steps import FixMaker


@dataclass(frozen=True, slots=True)
class Explanation:
    """Text of the help page of an issue."""

    title: str
    why: str
    advice: str


@dataclass(frozen=True, slots=True)
class RuleHelp(Explanation):
    """Explanation of an issue, a small pipeline with the issue, and its fix."""

    example: PipelineDefinition
    fix: FixMaker | None = None
    can_fix_all: bool = False
    """True if the fixes of several issues do not affect each other."""
    field: str = ""
    """Name of the part's field in which only a person can fix it."""
