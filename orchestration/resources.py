"""Limits of a conversation and their usage (contract T-4 to T-6)."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import msgspec


class Spending(Protocol):
    """Usage of a conversation in its reduced state."""

    turns: int
    last_turn_at: datetime | None
    context: int
    peak: int


class Spender(Protocol):
    """A conversation with its usage."""

    @property
    def usage(self) -> Spending:
        """Usage so far."""


class MeasuredLimits(Protocol):
    """Limits of a definition with a measured usage."""

    @property
    def max_turns(self) -> int:
        """Maximum number of model responses in a run."""

    @property
    def max_context_tokens(self) -> int:
        """Maximum number of estimated tokens in a request."""


class TurnMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Model responses of the current or last run."""

    used: int
    limit: int
    last_turn_at: datetime | None = None


class ContextMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated tokens of the last request, the limit, and the largest request so far."""

    used: int
    limit: int
    peak: int


class ResourceMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Usage and limits of a conversation (contract T-6)."""

    turns: TurnMetrics
    context: ContextMetrics

    @classmethod
    def of(cls, conversation: Spender, limits: MeasuredLimits) -> ResourceMetrics:
        """Create the metrics of a conversation with these limits."""
        usage = conversation.usage
        return cls(
            turns=TurnMetrics(
                used=usage.turns, limit=limits.max_turns, last_turn_at=usage.last_turn_at
            ),
            context=ContextMetrics(
                used=usage.context, limit=limits.max_context_tokens, peak=usage.peak
            ),
        )
