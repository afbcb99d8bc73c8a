"""Limits of a conversation and their usage (contract T-4 to T-6)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec


class Spending(Protocol):
    """Usage of a conversation in its reduced state."""

    turns: int
    last_turn_at: datetime | None
    context: int
    peak: int


class RunSpending(Protocol):
    """Usage of a run, including its subtasks."""

    calls: int
    tokens: int
    cost: float
    seconds: float

    @property
    def unpriced(self) -> Mapping[tuple[str, str], int]:
        """Number of calls without a price, by provider and model."""


class Spender(Protocol):
    """A conversation with its usage."""

    @property
    def usage(self) -> Spending:
        """Usage so far."""

    @property
    def budget(self) -> RunSpending:
        """Usage of the current run, or of the last one."""


class MeasuredLimits(Protocol):
    """Limits of a definition with a measured usage."""

    @property
    def max_turns(self) -> int:
        """Maximum number of model responses in a run."""

    @property
    def max_context_tokens(self) -> int:
        """Maximum number of estimated tokens in a request."""

    @property
    def max_calls(self) -> int:
        """Maximum number of model calls in a run."""

    @property
    def max_tokens(self) -> int:
        """Maximum number of tokens in a run."""

    @property
    def max_cost(self) -> float | None:
        """Maximum cost of a run in dollars."""

    @property
    def max_seconds(self) -> float:
        """Maximum seconds of work in a run."""


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


class BudgetMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Usage of a resource in the current or last run, including subtasks, and its limit."""

    used: float
    limit: float | None
    """None: no limit."""


class UnpricedCalls(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of a model without a price."""

    provider: str
    model: str
    calls: int


class CostMetrics(BudgetMetrics, frozen=True, kw_only=True):
    """Cost in dollars, the limit, and the calls that it does not include."""

    unpriced: list[UnpricedCalls] = []


class ResourceMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Usage and limits of a conversation (contract T-6)."""

    turns: TurnMetrics
    context: ContextMetrics
    calls: BudgetMetrics
    """Model calls of the run."""
    tokens: BudgetMetrics
    """Tokens sent and received in the run."""
    cost: CostMetrics
    time: BudgetMetrics
    """Seconds of work in the run."""

    @classmethod
    def of(cls, conversation: Spender, limits: MeasuredLimits) -> ResourceMetrics:
        """Create the metrics of a conversation with these limits."""
        usage, run = conversation.usage, conversation.budget
        return cls(
            turns=TurnMetrics(
                used=usage.turns, limit=limits.max_turns, last_turn_at=usage.last_turn_at
            ),
            context=ContextMetrics(
                used=usage.context, limit=limits.max_context_tokens, peak=usage.peak
            ),
            calls=BudgetMetrics(used=run.calls, limit=limits.max_calls),
            tokens=BudgetMetrics(used=run.tokens, limit=limits.max_tokens),
            cost=CostMetrics(
                used=run.cost,
                limit=limits.max_cost,
                unpriced=[
                    UnpricedCalls(provider=provider, model=model, calls=calls)
                    for (provider, model), calls in run.unpriced.items()
                ],
            ),
            time=BudgetMetrics(used=run.seconds, limit=limits.max_seconds),
        )
