"""Issues as the problems panel shows them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from designer.canvas.cards import agent_id, stage_id
from designer.canvas.problem_form import SEPARATOR, token_of
from designer.canvas.transitions import edge_id
from designer.definitions import transition_key
from orchestration.definition import PipelineDefinition
from orchestration.validation import Draft, Fix, Issue, Kind, Severity, Where, offers


@dataclass(frozen=True, slots=True)
class Problem:
    """One issue: its sentence in pieces, and what it points to."""

    severity: Severity
    code: str
    message: str
    pieces: tuple[tuple[str, bool], ...]
    """Text, and whether it is a name."""
    kind: Kind
    key: str
    """Selection that shows the part to fix."""
    where: str
    """The id of the element that it points to; empty for the pipeline as a whole."""
    others: tuple[str, ...]
    """Ids of elements that it points to as well."""
    token: str
    """Names the issue where it is to be mended."""
    fix: str | None
    """Label of the button that fixes it; None if a person must choose."""
    dom_id: str

    @property
    def is_drawn(self) -> bool:
        """Report whether the problem points to something on the canvas."""
        return self.kind in {"stage", "transition"} and bool(self.where)


@dataclass(frozen=True, slots=True)
class Relisted:
    """Change of the list of problems by an edit."""

    gone: list[str]
    """Ids of elements."""
    changed: list[Problem]
    new: list[tuple[str, Problem]]
    """Each with the id of the element that it comes after; empty: it is the first."""


def relisted(was: Sequence[Problem], now: Sequence[Problem]) -> Relisted | None:
    """Return the difference of two lists; None if sending the whole list is shorter."""
    before = {problem.dom_id: problem for problem in was}
    after = {problem.dom_id: problem for problem in now}
    kept = [key for key in after if key in before]
    in_order = kept == [key for key in before if key in after]
    if not (before and after and in_order) or len(after) < len(now):
        return None
    places = ["", *after]
    return Relisted(
        gone=[key for key in before if key not in after],
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
    """Each issue of a definition as the panel shows it; `draft` is what the rules know of it."""
    found = list(issues)
    served: dict[str, list[str]] = defaultdict(list)
    named = {key for issue in found if issue.where.kind == "agent" for key in issue.where.keys}
    for stage in definition.stages if named else ():
        if stage.agent_id in named or stage.group:
            for key in stage.agent_ids:
                served[key].append(stage.phase)
    pairs = zip(found, offers(definition, found, draft), strict=True)
    return [_problem(issue, served, fix) for issue, fix in pairs]


def _problem(issue: Issue, served: Mapping[str, Sequence[str]], fix: Fix | None) -> Problem:
    elements = _elements(issue.where, served)
    token, said = _written(issue)
    is_drawn_pair = issue.where.kind == "transition"
    keys = issue.where.keys
    return Problem(
        severity=issue.severity,
        code=issue.code,
        message=issue.message,
        pieces=said,
        kind=issue.where.kind,
        key=transition_key(*keys) if is_drawn_pair else keys[0] if keys else "",
        where=elements[0] if elements else "",
        others=tuple(elements[1:]),
        token=token,
        fix=fix.title if fix else None,
        dom_id=f"problem-{token.replace(SEPARATOR, '-')}",
    )


@lru_cache(maxsize=2_048)
def _written(issue: Issue) -> tuple[str, tuple[tuple[str, bool], ...]]:
    """An issue's token, and its sentence in pieces: most are the same from edit to edit."""
    return token_of(issue), tuple(pieces(issue.message))


_NAME = re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)")


def pieces(message: str) -> Iterable[tuple[str, bool]]:
    """The sentence, cut at the names it quotes."""
    for place, text in enumerate(_NAME.split(message)):
        if text:
            yield text, place % 2 == 1


def _elements(where: Where, served: Mapping[str, Sequence[str]]) -> list[str]:
    match where.kind:
        case "stage":
            return [stage_id(phase) for phase in where.keys]
        case "transition":
            return [edge_id(*where.keys)]
        case "agent":
            stages = [stage_id(phase) for key in where.keys for phase in served.get(key, ())]
            return [*(agent_id(key) for key in where.keys), *stages]
        case "rule":
            return [f"rule-{key}" for key in where.keys]
        case "tool":
            return [f"tool-item-{key}" for key in where.keys]
        case "pipeline":
            return []
