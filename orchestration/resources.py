"""What a conversation may spend, and what it has spent (rows T-4 to T-6)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from orchestration.definition import Limits
from orchestration.messages import Value

if TYPE_CHECKING:
    from orchestration.fold import Conversation


class TurnMetrics(Value, frozen=True, kw_only=True):
    """Model responses of the run under way, or of the last one."""

    used: int
    limit: int
    last_turn_at: datetime | None = None


class ContextMetrics(Value, frozen=True, kw_only=True):
    """Estimated tokens of what was sent: last, at most ever, and how many may be."""

    used: int
    limit: int
    peak: int


class ResourceMetrics(Value, frozen=True, kw_only=True):
    """Where a conversation stands with its limits."""

    turns: TurnMetrics
    context: ContextMetrics

    @classmethod
    def of(cls, conversation: Conversation, limits: Limits) -> ResourceMetrics:
        """The metrics of a conversation under these limits."""
        spent = conversation.spent
        return cls(
            turns=TurnMetrics(
                used=spent.turns, limit=limits.max_turns, last_turn_at=spent.last_turn_at
            ),
            context=ContextMetrics(
                used=spent.context, limit=limits.max_context_tokens, peak=spent.peak
            ),
        )
