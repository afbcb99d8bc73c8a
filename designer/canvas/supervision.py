"""Words for the moments at which a supervisor is called, and for its actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestration.definition import Supervision, SupervisionPoint, SupervisorAction


@dataclass(frozen=True, slots=True)
class PointWords:
    """Words for a moment of a supervisor's calls."""

    label: str
    """Label of the choice: `After each handoff`."""
    moment: str
    """The moment of one call: `after a handoff`."""
    short: str
    """The moments on a card: `handoffs`."""


@dataclass(frozen=True, slots=True)
class ActionWords:
    """Words for an action of a supervisor."""

    label: str
    """Label of the choice: `Send the agents a note`."""
    remark: str
    """Consequence of the action, in one sentence."""


POINT_WORDS: Mapping[SupervisionPoint, PointWords] = {
    "handoff": PointWords("After each handoff", "after a handoff", "handoffs"),
    "rejection": PointWords(
        "After each rejected handoff", "after a rejected handoff", "rejections"
    ),
    "every_turn": PointWords("After each turn of an agent", "after a turn", "turns"),
    "run_end": PointWords(
        "Before a run ends or waits for the user", "before the end of the run", "run ends"
    ),
}
"""Words for each moment, in the order of the definition."""

ACTION_WORDS: Mapping[SupervisorAction, ActionWords] = {
    "note": ActionWords("Send the agents a note", "The user does not see it."),
    "pause": ActionWords("Pause the run", "A person continues it."),
    "redirect": ActionWords("Hand over to another agent", "The usual check applies."),
    "escalate": ActionWords("Hand over to a person", "No agent answers any more."),
}
"""Words for each action, in the order of the definition."""


def supervision_in_words(supervision: Supervision | None) -> str:
    """Return the moments of a supervisor's calls: `supervises at handoffs and run ends`."""
    points = [POINT_WORDS[point].short for point in supervision.ask_at] if supervision else []
    if not points:
        return "observes every event"
    *others, last = points
    return f"supervises at {', '.join(others)}{' and ' if others else ''}{last}"
