"""Budget of a run: its model calls, tokens, cost and seconds of work (contract D-9).

One budget is shared by the main conversation and all its subtasks, so limits never multiply. It is
computed from recorded events, so a resumed run has the same count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from orchestration.definition import Limits
from orchestration.events import LimitReached, Resource
from orchestration.messages import Usage

CallCost = Callable[[str, str, Usage], float | None]
"""Return the cost of a model call in dollars, by provider, model and usage; None: no price."""

BUDGET_RESOURCES = frozenset[str](("calls", "tokens", "cost", "time"))
"""Resources with a limit for the whole run."""

HALF_MILLISECOND = 0.0005
"""Tolerance of the time in seconds: sums of times are not exact."""


class RunLimits(NamedTuple):
    """Limits of a run, read from a definition once: attributes of pydantic models are slow."""

    max_calls: int
    max_tokens: int
    max_cost: float | None
    """In dollars; None: no limit."""
    max_seconds: float

    @classmethod
    def of(cls, limits: Limits) -> RunLimits:
        """Return the limits of the whole run among a pipeline's limits."""
        return cls(limits.max_calls, limits.max_tokens, limits.max_cost, limits.max_seconds)


_DEFAULT_LIMITS = RunLimits.of(Limits())


@dataclass(slots=True)
class Budget:
    """Usage of the current run, or of the last one, and its limits."""

    limits: RunLimits = _DEFAULT_LIMITS
    """Limits of the pipeline that the run began with; those of subtasks' pipelines do not count."""
    call_cost: CallCost | None = None
    calls: int = 0
    """Started model calls: turns, retries, and calls of a fallback."""
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    """Time in which a model or a tool worked; parallel work counts once."""
    reached: LimitReached | None = None
    """The event of the reached limit: every conversation of the run ends."""
    _unpriced: list[tuple[str, str]] = field(default_factory=list)
    """Provider and model of each call without a price."""
    _work: list[float] = field(default_factory=list)
    """Timestamps of the start and the end of each disjoint interval of work, in order."""

    def start(self) -> None:
        """Start the count of a new run."""
        if not self.calls and self.reached is None:
            return  # nothing is counted before the first call
        self.calls = self.tokens = 0
        self.cost = self.seconds = 0.0
        self.reached = None
        self._unpriced.clear()
        self._work.clear()

    def copy(self) -> Budget:
        """Return an independent copy."""
        return replace(self, _unpriced=list(self._unpriced), _work=list(self._work))

    def add_usage(self, model: tuple[str, str], usage: Usage, at: datetime) -> None:
        """Add the usage of a call that ended at `at`."""
        self.tokens += usage.input_tokens + usage.output_tokens
        if self.call_cost is None or (cost := self.call_cost(*model, usage)) is None:
            self._unpriced.append(model)
        else:
            self.cost += cost
        if usage.milliseconds:
            self.add_work(usage.milliseconds, at)

    def add_work(self, milliseconds: float, at: datetime) -> None:
        """Add the time of a model call or a tool call that ended at `at`.

        The time is measured by the process that did the work: the wait for another process after a
        crash does not count.
        """
        if milliseconds <= 0:
            return
        end = at.timestamp()
        start = end - milliseconds / 1000
        work = self._work
        while work and work[-1] >= start:
            last, first = work.pop(), work.pop()
            self.seconds -= last - first
            start, end = min(start, first), max(end, last)
        work += (start, end)
        self.seconds += end - start

    @property
    def unpriced(self) -> Mapping[tuple[str, str], int]:
        """Number of calls without a price, by provider and model."""
        return Counter(self._unpriced)

    @property
    def remaining_seconds(self) -> float:
        """Time of work that is left."""
        return self.limits.max_seconds - self.seconds

    def exhausted(self) -> tuple[Resource, float, float] | None:
        """Return a resource that is used up, with its usage and its limit."""
        if (reached := self.reached) is not None:
            return reached.resource, reached.used, reached.limit
        max_calls, max_tokens, max_cost, max_seconds = self.limits
        if self.calls >= max_calls:
            return "calls", self.calls, max_calls
        if self.tokens >= max_tokens:
            return "tokens", self.tokens, max_tokens
        if max_cost is not None and self.cost >= max_cost:
            return "cost", round(self.cost, 6), max_cost
        if self.seconds + HALF_MILLISECOND >= max_seconds:
            return "time", round(self.seconds, 3), max_seconds
        return None
