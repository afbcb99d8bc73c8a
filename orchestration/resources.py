"""Limits of a conversation and their usage (contract T-4 to T-6)."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import msgspec


class Spending(Protocol):
    """Usage of the last turns, as the reducer knows it."""

    turns: int
    last_turn_at: datetime | None
    context: int
    peak: int


class Spender(Protocol):
    """A conversation, as far as it spends."""

    @property
    def usage(self) -> Spending:
        """Usage so far."""


class Bounds(Protocol):
    """The limits of a definition, as far as they can be measured."""

    @property
    def max_turns(self) -> int:
        """Model responses of one run."""

    @property
    def max_context_tokens(self) -> int:
        """Estimated tokens of what is sent at once."""


class TurnMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Model responses of the run under way, or of the last one."""

    used: int
    limit: int
    last_turn_at: datetime | None = None


class ContextMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated tokens of what was sent: last, at most ever, and how many may be."""

    used: int
    limit: int
    peak: int


class ResourceMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Usage and limits of a conversation (contract T-6)."""

    turns: TurnMetrics
    context: ContextMetrics

    @classmethod
    def of(cls, conversation: Spender, limits: Bounds) -> ResourceMetrics:
        """The metrics of a conversation under these limits."""
        usage = conversation.usage
        return cls(
            turns=TurnMetrics(
                used=usage.turns, limit=limits.max_turns, last_turn_at=usage.last_turn_at
            ),
            context=ContextMetrics(
                used=usage.context, limit=limits.max_context_tokens, peak=usage.peak
            ),
        )
