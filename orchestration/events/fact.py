"""Common fields of all events, and the types that events share."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from orchestration.messages import Value


class StopReason(StrEnum):
    """Why a run ended (contract D-2)."""

    REPLIED = "replied"
    WAITING_FOR_USER = "waiting_for_user"
    WAITING_FOR_HUMAN = "waiting_for_human"
    HANDOFF_LIMIT = "handoff_limit"
    TURN_LIMIT = "turn_limit"
    CONTEXT_LIMIT = "context_limit"
    CYCLE = "cycle"
    CANCELLED = "cancelled"
    FAILED = "failed"


TaskKind = Literal["member", "delegate", "subtask"]

Channel = Literal["same", "voice", "email", "sms"]
"""Channel on which the conversation continues after a handoff (contract O-14)."""


class Fact(Value, frozen=True, tag_field="type"):
    """Common fields of every event: its head, in the order of `Head`."""

    seq: int
    at: datetime
    session_id: str
    run_id: str
    phase: str
    """The conversation's phase when it happened."""
    agent_id: str | None = None
    """The agent that caused the event, if an agent did."""

    @property
    def type(self) -> str:
        """The event's name: `handoff.accepted`."""
        return str(self.__struct_config__.tag)

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model that are asked from this event on; None if it asks no other."""
        return None

    @property
    def voids_answer(self) -> bool:
        """True if the part of the answer shown so far is void."""
        return False


class TurnFact(Fact, frozen=True, kw_only=True):
    """Common fields of the events of a model's turn."""

    turn: int
    """The turn's number within the run, from 1."""


Head = tuple[int, datetime, str, str, str, str | None]
"""The common fields of an event as positional arguments."""
