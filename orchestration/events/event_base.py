"""Common fields and types of all events."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from orchestration.messages import Value

EVENT_FORMAT = 1
"""Major version of the events, raised by a change that earlier versions cannot replay."""


class StopReason(StrEnum):
    """Reason for the end of a run (contract D-2)."""

    REPLIED = "replied"
    WAITING_FOR_USER = "waiting_for_user"
    WAITING_FOR_HUMAN = "waiting_for_human"
    HANDOFF_LIMIT = "handoff_limit"
    TURN_LIMIT = "turn_limit"
    CONTEXT_LIMIT = "context_limit"
    CALL_LIMIT = "call_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - not a password
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    TRUNCATED = "truncated"
    """The answer was cut off at its maximum length."""
    CYCLE = "cycle"
    CANCELLED = "cancelled"
    FAILED = "failed"


Resource = Literal["turns", "handoffs", "context", "calls", "tokens", "cost", "time"]
"""A limited resource: the first three of one conversation, the others of the whole run."""

TaskKind = Literal["member", "delegate", "subtask", "supervision"]

Channel = Literal["same", "voice", "email", "sms"]
"""Channel on which the conversation continues after a handoff (contract O-14)."""


class EventBase(Value, frozen=True, tag_field="type"):
    """Common fields of every event, in the order of `Head`."""

    seq: int
    at: datetime
    session_id: str
    run_id: str
    phase: str
    """Phase of the conversation at the time of the event."""
    agent_id: str | None = None
    """The agent that caused the event, if an agent did."""

    @property
    def type(self) -> str:
        """The event's name: `handoff.accepted`."""
        return str(self.__struct_config__.tag)

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model of the calls after this event; None: unchanged."""
        return None

    @property
    def voids_answer(self) -> bool:
        """True if the partial answer shown so far becomes invalid."""
        return False

    @property
    def is_retry(self) -> bool:
        """True if a failed model call is repeated; any other event is progress of the run."""
        return False


class TurnEvent(EventBase, frozen=True, kw_only=True):
    """Common fields of the events of a turn."""

    turn: int
    """Number of the turn within the run, from 1."""


class ModelCallEvent(TurnEvent, frozen=True, kw_only=True):
    """Common base of the events that begin a model call: the first of a turn, or a repeated one."""


Head = tuple[int, datetime, str, str, str, str | None]
"""The common fields of an event as positional arguments."""
