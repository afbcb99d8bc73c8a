"""State of a conversation: its phase, its active agent and its history (contract O-1, O-2)."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import msgspec

from orchestration.messages import Value


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
    metadata: dict[str, Any] = {}


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

    def transition(
        self,
        to_phase: str,
        to_agent: str | None = None,
        reason: str = "",
        metadata: dict[str, Any] | None = None,
        *,
        at: datetime | None = None,
        channel: str = "same",
    ) -> ConversationState:
        """Return the state after a step, with the step in `phase_history`.

        `to_agent=None` gives the conversation to the human. `handoff_count` increases if the agent
        changes. `channel="same"` keeps the current channel.
        """
        step = PhaseTransition(
            from_phase=self.phase,
            to_phase=str(to_phase),
            from_agent=self.active_agent_id,
            to_agent=to_agent,
            reason=reason,
            at=at or datetime.now(UTC),
            metadata=metadata or {},
        )
        return ConversationState(
            phase=step.to_phase,
            active_agent_id=to_agent,
            handoff_count=self.handoff_count + (to_agent != self.active_agent_id),
            phase_history=(*self.phase_history, step),
            with_human=to_agent is None,
            channel=self.channel if channel == "same" else channel,
        )

    def assigned(self, agent_id: str | None) -> ConversationState:
        """Return the state with another active agent, selected by the router without a handoff."""
        if agent_id == self.active_agent_id:
            return self
        return msgspec.structs.replace(self, active_agent_id=agent_id)

    def to_json(self) -> str:
        """Return the state as JSON for `from_json` (contract O-1)."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> ConversationState:
        """Parse the JSON of `to_json`; another text raises `msgspec.ValidationError`."""
        return msgspec.json.decode(text, type=cls)
