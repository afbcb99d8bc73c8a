"""Outcomes of a conversation, with their texts and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orchestration.events import StopReason

Group = Literal["answered", "person", "stopped", "open"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome for the list, the filter and the chart."""

    name: str
    label: str
    group: Group
    icon: str


def _limit(reason: StopReason, label: str) -> Outcome:
    return Outcome(reason.value, label, "stopped", "close")


OUTCOMES = (
    Outcome(StopReason.REPLIED.value, "Replied", "answered", "check"),
    Outcome(StopReason.WAITING_FOR_USER.value, "Waiting for the user", "answered", "chat"),
    Outcome(StopReason.WAITING_FOR_HUMAN.value, "With a person", "person", "person"),
    Outcome("running", "Running", "open", "on"),
    Outcome("paused", "Paused", "open", "minus"),
    Outcome("new", "Not started", "open", "minus"),
    _limit(StopReason.TURN_LIMIT, "Turn limit"),
    _limit(StopReason.HANDOFF_LIMIT, "Handoff limit"),
    _limit(StopReason.CONTEXT_LIMIT, "Context limit"),
    _limit(StopReason.CALL_LIMIT, "Call limit"),
    _limit(StopReason.TOKEN_LIMIT, "Token limit"),
    _limit(StopReason.COST_LIMIT, "Cost limit"),
    _limit(StopReason.TIME_LIMIT, "Time limit"),
    _limit(StopReason.TRUNCATED, "Cut off"),
    _limit(StopReason.CYCLE, "Cycle"),
    _limit(StopReason.CANCELLED, "Stopped"),
    _limit(StopReason.FAILED, "Failed"),
)
"""All outcomes, in the order of the filter."""

GROUPS: dict[Group, str] = {
    "answered": "answered",
    "person": "with a person",
    "stopped": "failed or stopped",
    "open": "open",
}
"""Groups of the chart, with their labels."""

_BY_NAME = {outcome.name: outcome for outcome in OUTCOMES}


def outcome_of(name: str) -> Outcome:
    """Return an outcome; one of a newer version of Baton has its name as its label."""
    return _BY_NAME.get(name) or Outcome(name, name.replace("_", " "), "stopped", "close")
