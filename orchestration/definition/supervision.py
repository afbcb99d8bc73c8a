"""Supervision of a conversation by an agent (contract O-5)."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, Field

from orchestration.definition.values import Frozen

SupervisionPoint = Literal["handoff", "rejection", "every_turn", "run_end"]
"""Moment at which the supervisor is called: after an accepted handoff, after a rejected one, after
each turn with its calls, and before a run ends or waits for the user."""

SupervisorAction = Literal["note", "pause", "redirect", "escalate"]
"""Action of the supervisor, and name of its tool: send agents a note, pause the run before its next
turn, hand over to another agent with the usual check, and hand over to the human."""

SUPERVISION_POINTS: Final[tuple[SupervisionPoint, ...]] = get_args(SupervisionPoint)
SUPERVISOR_ACTIONS: Final[tuple[SupervisorAction, ...]] = get_args(SupervisorAction)


def _points_in_order(points: tuple[SupervisionPoint, ...]) -> tuple[SupervisionPoint, ...]:
    return tuple(point for point in SUPERVISION_POINTS if point in points)


def _actions_in_order(actions: tuple[SupervisorAction, ...]) -> tuple[SupervisorAction, ...]:
    return tuple(action for action in SUPERVISOR_ACTIONS if action in actions)


class Supervision(Frozen):
    """Calls of the supervisor's model: their moments, the allowed actions and a limit."""

    ask_at: Annotated[
        tuple[SupervisionPoint, ...], Field(max_length=20), AfterValidator(_points_in_order)
    ] = ()
    """Moments at which the supervisor is called. Without any it is never called."""
    may: Annotated[
        tuple[SupervisorAction, ...], Field(max_length=20), AfterValidator(_actions_in_order)
    ] = ()
    """Allowed actions."""
    max_calls: Annotated[int, Field(ge=1, le=1_000)] = 20
    """Maximum number of the supervisor's model calls in one run. After it the run continues
    without supervision."""


NEW_SUPERVISION: Final = Supervision(ask_at=("handoff", "run_end"), may=("note",))
"""Supervision of a supervisor that is chosen in the editor."""
