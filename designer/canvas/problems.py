"""Issues as the problems panel shows them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from designer.canvas.cards import agent_id, stage_id
from designer.canvas.problem_form import SEPARATOR, issue_token
from designer.canvas.transitions import edge_id
from designer.definitions import transition_key
from orchestration.definition import PipelineDefinition
from orchestration.validation import (
    HELP,
    Draft,
    Fix,
    Issue,
    Kind,
    Severity,
    Where,
    find_fixes,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One issue: its message, and the elements that it refers to."""

    severity: Severity
    code: str
    message: str
    message_parts: tuple[tuple[str, bool], ...]
    """Each with True if it is a quoted name."""
    kind: Kind
    key: str
    """Selection that shows the part to fix."""
    where: str
    """The id of the element that it refers to; empty for the pipeline as a whole."""
    others: tuple[str, ...]
    """Ids of further elements that it refers to."""
    token: str
    """Identifier of the issue in the form that fixes it."""
    fix: str | None
    """Label of the button that fixes it; None if a person must choose."""
    dom_id: str
    title: str
    """Title of the rule, which equal problems share."""
    can_fix_all: bool
    """True if one button may fix all problems with this code."""
    field: str = ""
    """Name of the field in which a person fixes it; a button opens it."""

    @property
    def is_on_canvas(self) -> bool:
        """True if the problem refers to a part on the canvas."""
        return self.kind in {"stage", "transition"} and bool(self.where)


@dataclass(frozen=True, slots=True)
class ProblemChanges:
    """Changes of the list of problems by an edit."""

    deleted: list[str]
    """Ids of elements."""
    changed: list[Problem]
    new: list[tuple[str, Problem]]
    """Each with the id of the element before it; empty for the first."""


def problem_changes(was: Sequence[Problem], now: Sequence[Problem]) -> ProblemChanges | None:
    """Return the difference of two lists; None if sending the whole list is shorter."""
    before = {problem.dom_id: problem for problem in was}
    after = {problem.dom_id: problem for problem in now}
    kept = [key for key in after if key in before]
    in_order = kept == [key for key in before if key in after]
    if not (before and after and in_order) or len(after) < len(now):
        return None
    places = ["", *after]
    return ProblemChanges(
        deleted=[key for key in before if key not in after],
        changed=[after[key] for key in kept if after[key] != before[key]],
        new=[
            (place, problem)
            for place, problem in zip(places, now, strict=False)
            if problem.dom_id not in before
        ],
    )


def list_problems(
    definition: PipelineDefinition, issues: Iterable[Issue], draft: Draft | None = None
) -> list[Problem]:
    """Return the problems of a definition from its issues. `draft` is its cached rule input."""
    issues = list(issues)
    phases: dict[str, list[str]] = defaultdict(list)
    agents = {key for issue in issues if issue.where.kind == "agent" for key in issue.where.keys}
    for stage in definition.stages if agents else ():
        if stage.agent_id in agents or stage.group:
            for key in stage.agent_ids:
                phases[key].append(stage.phase)
    pairs = zip(issues, find_fixes(definition, issues, draft), strict=True)
    return [_problem(issue, _drawn(definition, issue.where), phases, fix) for issue, fix in pairs]


def _drawn(definition: PipelineDefinition, where: Where) -> Where:
    """Return the location of an issue on the canvas.

    A transition without a line is shown at its existing stage, or else at the pipeline.
    """
    stages = definition.stages_by_phase
    if where.kind != "transition" or all(phase in stages for phase in where.keys):
        return where
    existing = tuple(phase for phase in where.keys if phase in stages)[:1]
    return replace(where, kind="stage" if existing else "pipeline", keys=existing)


def _problem(
    issue: Issue, where: Where, phases: Mapping[str, Sequence[str]], fix: Fix | None
) -> Problem:
    elements = _elements(where, phases)
    token, parts = _token_and_parts(issue)
    is_transition = where.kind == "transition"
    keys = where.keys
    rule = HELP.get(issue.code)
    return Problem(
        severity=issue.severity,
        code=issue.code,
        message=issue.message,
        message_parts=parts,
        kind=where.kind,
        key=transition_key(*keys) if is_transition else keys[0] if keys else "",
        where=elements[0] if elements else "",
        others=tuple(elements[1:]),
        token=token,
        fix=fix.title if fix else None,
        dom_id=f"problem-{token.replace(SEPARATOR, '-')}",
        title=rule.title if rule else issue.code,
        can_fix_all=bool(rule and rule.can_fix_all and fix and fix.is_repair),
        field=rule.field if rule else "",
    )


@lru_cache(maxsize=2_048)
def _token_and_parts(issue: Issue) -> tuple[str, tuple[tuple[str, bool], ...]]:
    """Return an issue's token and message parts; cached, because most issues survive an edit."""
    return issue_token(issue), tuple(message_parts(issue.message))


_NAME = re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)")


def message_parts(message: str) -> Iterable[tuple[str, bool]]:
    """Yield the parts of a message, split at quoted names, each with True for a name."""
    for place, text in enumerate(_NAME.split(message)):
        if text:
            yield text, place % 2 == 1


def _elements(where: Where, phases: Mapping[str, Sequence[str]]) -> list[str]:
    match where.kind:
        case "stage":
            return [stage_id(phase) for phase in where.keys]
        case "transition":
            return [edge_id(*where.keys)]
        case "agent":
            stages = [stage_id(phase) for key in where.keys for phase in phases.get(key, ())]
            return [*(agent_id(key) for key in where.keys), *stages]
        case "rule":
            return [f"rule-{key}" for key in where.keys]
        case "tool":
            return [f"tool-item-{key}" for key in where.keys]
        case "pipeline":
            return []
