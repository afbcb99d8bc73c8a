"""State of a conversation: its phase, its active agent and its history (contract O-1, O-2)."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar, cast

import msgspec
from pydantic import BaseModel

from orchestration.messages import Value
from orchestration.state.frozen_json import EMPTY, freeze_object


class ConversationPhase(StrEnum):
    """Common phases; any other string is allowed too (contract O-2)."""

    INTAKE = "intake"
    QUALIFICATION = "qualification"
    HANDLING = "handling"
    ESCALATION = "escalation"
    RESOLUTION = "resolution"
    FOLLOWUP = "followup"


class PhaseTransition(Value, frozen=True, kw_only=True):
    """A change of the phase or the agent of a conversation."""

    from_phase: str
    to_phase: str
    from_agent: str | None
    to_agent: str | None
    """The new agent; None for the human."""
    reason: str
    at: datetime
    metadata: Mapping[str, Any] = {}
    """Further data as JSON values; the transition keeps a deeply immutable copy."""

    def __post_init__(self) -> None:
        if self.metadata is not EMPTY:
            msgspec.structs.force_setattr(self, "metadata", freeze_object(self.metadata))


class ConversationState(Value, frozen=True, kw_only=True):
    """State of a conversation. A change returns a new state (contract O-1).

    >>> state = ConversationState().transition("handling", "agent-handler", "About an order.")
    >>> state.phase, state.handoff_count, state.phase_history[0].from_phase
    ('handling', 1, 'intake')
    >>> ConversationState.from_json(state.to_json()) == state
    True
    """

    phase: str = ConversationPhase.INTAKE.value
    active_agent_id: str | None = None
    """The agent that answers next; None before the first message and while a human answers."""
    handoff_count: int = 0
    phase_history: tuple[PhaseTransition, ...] = ()
    with_human: bool = False
    """True if a human has the conversation, so that no agent answers (contract O-9)."""
    channel: str = "same"
    """Channel requested by a handoff (contract O-14); `same` keeps the user's channel."""
    variables: Mapping[str, str] = {}
    """Values of the pipeline's variables."""

    def __post_init__(self) -> None:
        if type(self.phase_history) is not tuple:
            msgspec.structs.force_setattr(self, "phase_history", tuple(self.phase_history))

    def transition(
        self,
        to_phase: str,
        to_agent: str | None = None,
        reason: str = "",
        metadata: Mapping[str, Any] | None = None,
        *,
        at: datetime | None = None,
        channel: str = "same",
    ) -> ConversationState:
        """Return the state after a step, with the step in `phase_history`.

        `to_agent=None` gives the conversation to the human. `handoff_count` increases if the agent
        changes. `channel="same"` keeps the current channel. `metadata` without a JSON form raises
        `ValueError`.
        """
        step = PhaseTransition(
            from_phase=self.phase,
            to_phase=str(to_phase),
            from_agent=self.active_agent_id,
            to_agent=to_agent,
            reason=reason,
            at=at or datetime.now(UTC),
            metadata=EMPTY if metadata is None else metadata,
        )
        return ConversationState(
            phase=step.to_phase,
            active_agent_id=to_agent,
            handoff_count=self.handoff_count + (to_agent != self.active_agent_id),
            phase_history=(*self.phase_history, step),
            with_human=to_agent is None,
            channel=self.channel if channel == "same" else channel,
            variables=self.variables,
        )

    def assigned(self, agent_id: str | None) -> ConversationState:
        """Return the state with another active agent, selected by the router without a handoff."""
        if agent_id == self.active_agent_id:
            return self
        return msgspec.structs.replace(self, active_agent_id=agent_id)

    def with_variables(self, values: Mapping[str, str]) -> ConversationState:
        """Return the state with other values of some variables."""
        return msgspec.structs.replace(self, variables={**self.variables, **values})

    def to_json(self) -> str:
        """Return the state as JSON for `from_json` (contract O-1)."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> ConversationState:
        """Parse the JSON of `to_json`; another text raises `msgspec.ValidationError`."""
        return msgspec.json.decode(text, type=cls)


SUMMARY = "summary"
"""Key of a handoff's summary in the metadata of its transition."""

STATE_KEY = "_conversation_state"
"""Key of the state in the metadata of a room."""


class MetadataHolder(Protocol):
    """An object with metadata, such as a room: a dataclass, a pydantic model or any other."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Metadata with JSON values."""


Holder = TypeVar("Holder", bound="MetadataHolder | Mapping[str, Any]")


def get_conversation_state(room: MetadataHolder | Mapping[str, Any]) -> ConversationState:
    """Return the state in the metadata of a room, or a new state if there is none.

    `room` is any object with `metadata`, or the metadata themselves. An invalid state raises
    `msgspec.ValidationError`.
    """
    stored = _metadata(room).get(STATE_KEY)
    return ConversationState() if stored is None else msgspec.convert(stored, ConversationState)


def set_conversation_state(room: Holder, state: ConversationState) -> Holder:
    """Return a copy of a room, or of its metadata, with the state as JSON values.

    The room itself is unchanged; the caller stores the copy.

    >>> room = {"title": "Order 7"}
    >>> state = get_conversation_state(room).transition("handling", "agent-handler")
    >>> changed = set_conversation_state(room, state)
    >>> get_conversation_state(changed) == state, get_conversation_state(room).phase
    (True, 'intake')
    """
    metadata = {**_metadata(room), STATE_KEY: msgspec.json.decode(state.to_json())}
    return cast("Holder", _with_metadata(room, metadata))


def _with_metadata(room: Any, metadata: dict[str, Any]) -> object:
    match room:
        case Mapping():
            return metadata
        case BaseModel():
            return room.model_copy(update={"metadata": metadata})
        case msgspec.Struct():
            return msgspec.structs.replace(room, metadata=metadata)
        case _ if is_dataclass(room) and not isinstance(room, type):
            return replace(room, metadata=metadata)
    changed = copy.copy(room)
    changed.metadata = metadata
    return changed


def _metadata(room: MetadataHolder | Mapping[str, Any]) -> Mapping[str, Any]:
    return room if isinstance(room, Mapping) else room.metadata
