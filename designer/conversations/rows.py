"""Rows of the list of conversations, for the template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, count

from designer.canvas import hue_of
from designer.conversations.outcomes import Outcome, outcome_of
from designer.conversations.sums import REJECTED
from designer.models import ConversationSummary, Pipeline

MAX_CHIPS = 12
"""Maximum number of drawn steps of a path."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of a path: a stage, or a rejected handoff."""

    label: str
    name: str
    hue: int | None = None
    is_rejection: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A conversation of the list."""

    summary: ConversationSummary
    steps: Sequence[PathStep]
    more_steps: int
    """Number of steps that are not drawn."""
    outcome: Outcome
    cost: str
    time: str
    may_delete: bool

    @property
    def path(self) -> str:
        """The path as text."""
        return " → ".join(step.name for step in self.steps)


def rows_of(
    summaries: Iterable[ConversationSummary], hues: Mapping[str, int], user_id: int
) -> list[Row]:
    """Return the rows of a page, with the hues of the stages by their phases."""
    labels: dict[str, str] = {}
    return [_row(summary, hues, labels, user_id) for summary in summaries]


def _row(
    summary: ConversationSummary, hues: Mapping[str, int], labels: dict[str, str], user_id: int
) -> Row:
    phases = summary.path.split()
    steps = [_step(phase, hues, labels) for phase in phases[:MAX_CHIPS]]
    return Row(
        summary=summary,
        steps=steps,
        more_steps=max(0, len(phases) - MAX_CHIPS),
        outcome=outcome_of(summary.outcome),
        cost=money(summary.cost) if summary.cost or not summary.unpriced else "",
        time=duration(summary.seconds),
        may_delete=user_id in (summary.started_by_id, summary.pipeline.owner_id),
    )


def _step(phase: str, hues: Mapping[str, int], labels: dict[str, str]) -> PathStep:
    """Return a step of a path, with the label of its phase on this page."""
    if phase == REJECTED:
        return PathStep("⊘", "rejected handoff", is_rejection=True)
    if phase not in labels:
        labels[phase] = _label(phase, set(labels.values()))
    return PathStep(labels[phase], phase, hues.get(phase))


def _label(phase: str, taken: AbstractSet[str]) -> str:
    """Return the first two letters of a phase, or others if another phase has them."""
    pairs = [phase[:2], *(phase[0] + letter for letter in phase[2:] if letter.isalnum())]
    numbered = (f"{phase[0]}{number}" for number in count(2))
    return next(label for pair in chain(pairs, numbered) if (label := pair.title()) not in taken)


def legend(rows: Sequence[Row]) -> list[PathStep]:
    """Return the different stages in the paths of some rows."""
    steps = {step.name: step for row in rows for step in row.steps if not step.is_rejection}
    return list(steps.values())[:20]


def hues_of(pipeline: Pipeline) -> dict[str, int]:
    """Return the hue of each stage's agent, by phase."""
    stages = pipeline.stages.exclude(agent=None).select_related("agent")
    return {
        stage.phase: hue_of(stage.agent.key, {}) if stage.agent.hue is None else stage.agent.hue
        for stage in stages
        if stage.agent is not None
    }


def duration(seconds: float) -> str:
    """Return a duration for people: `0.4 s`, `31 s`, `3 m 41 s`, `2 h 05 m`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} m {rest:02} s" if minutes else f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes:02} m"


def money(dollars: float) -> str:
    """Return an amount in dollars: `$0.0042`, `$12.40`."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"
