"""Context of a handoff: the previous agent's note for the receiving agent (contract O-10)."""

from __future__ import annotations

from orchestration.events import HandoffAccepted
from orchestration.providers import PromptMessage
from orchestration.state import SUMMARY, ConversationState


def handoff_context(handoff: HandoffAccepted | None) -> PromptMessage | None:
    """Return the previous agent's note as a message for the target, or None without a note."""
    if handoff is None or handoff.to_agent is None or handoff.prompt is not None:
        return None
    return _context(handoff.summary or handoff.reason, handoff.from_agent)


def state_context(state: ConversationState, agent_id: str) -> PromptMessage | None:
    """Return the note of the last handoff to an agent in the history of a state."""
    for step in reversed(state.phase_history):
        if step.to_agent == agent_id:
            return _context(str(step.metadata.get(SUMMARY) or step.reason), step.from_agent)
    return None


def _context(note: str, from_agent: str | None) -> PromptMessage | None:
    if not note:
        return None
    speaker = from_agent or "human"
    quoted = note.strip().replace("\n", "\n> ")
    return PromptMessage(
        "user", f"[Context from previous agent ({speaker})]: {quoted}", speaker=speaker
    )
