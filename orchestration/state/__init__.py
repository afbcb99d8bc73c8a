"""State of a conversation, and its immutable JSON values."""

from orchestration.state.conversation_state import (
    SUMMARY,
    ConversationPhase,
    ConversationState,
    PhaseTransition,
    get_conversation_state,
    set_conversation_state,
)

__all__ = [
    "SUMMARY",
    "ConversationPhase",
    "ConversationState",
    "PhaseTransition",
    "get_conversation_state",
    "set_conversation_state",
]
