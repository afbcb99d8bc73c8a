"""Usage of an event for templates: tokens, time, cost, and context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from designer.rehearsal.fragments.spending import (
    budget_in_words,
    in_words,
    unpriced_in_words,
)
from designer.rehearsal.trace.trace_state import TracedConversation, TraceState
from orchestration import events as e

WARNED_AT = 80
"""Percentage of the context at which the meter warns, as the engine does."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Fill level of a context."""

    used: int
    """Estimated tokens of the request."""
    limit: int

    @property
    def percent(self) -> int:
        """Used percentage, rounded down, so that 80 % is shown when the engine warns."""
        return self.used * 100 // max(1, self.limit)

    @property
    def drawn(self) -> int:
        """Filled part of a meter of 100; at least 1 if anything is used."""
        return min(100, max(1, self.percent))

    @property
    def level(self) -> str:
        """Severity: empty, `warning`, `error`."""
        if self.used > self.limit:
            return "error"
        return "warning" if self.percent >= WARNED_AT else ""


def event_usage(
    event: e.Event, traced: TracedConversation, trace_state: TraceState
) -> dict[str, Any]:
    """Return the usage of an event that the state does not include yet."""
    match event:
        case e.TurnStarted(context_tokens=used):
            return {
                "meter": Meter(used, traced.names.context),
                "spent": trace_state.spent,
                "budget": _budget(event, traced, trace_state),
            }
        case e.RunStarted() | e.ModelCallEvent():
            return {"spent": trace_state.spent, "budget": _budget(event, traced, trace_state)}
        case e.MessageCompleted(usage=usage):
            model = trace_state.model_of(event)
            cost = trace_state.cost_of(event)
            total = trace_state.spent.plus(usage, cost)
            return {
                "model": model,
                "cost": in_words(cost),
                "spent": total,
                "budget": _budget(event, traced, trace_state),
            }
        case e.RunCompleted() | e.RunFailed() if traced.kind is None:
            return {
                "cost": trace_state.spent_by_run.money,
                "run": trace_state.spent_by_run,
                "unpriced": unpriced_in_words(trace_state.budget),
            }
        case _:
            return {}


def _budget(event: e.Event, traced: TracedConversation, trace_state: TraceState) -> list[str]:
    """Return the used parts of the run's budget, with the event, in words."""
    budget = trace_state.count_in_budget(event, traced, trace_state.budget.copy())
    return budget_in_words(budget)
