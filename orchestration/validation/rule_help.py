"""Help of a rule: its explanation, an example and its fix, next to the rule itself."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.definition import PipelineDefinition
from orchestration.validation.fix_steps import FixMaker


@dataclass(frozen=True, slots=True)
class Explanation:
    """Text of an issue's help page."""

    title: str
    why: str
    advice: str


@dataclass(frozen=True, slots=True)
class RuleHelp(Explanation):
    """Explanation of an issue, a small pipeline that has it, and its fix."""

    example: PipelineDefinition
    fix: FixMaker | None = None
