"""What turns have taken: tokens, time and, where the prices of their models are known, money."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from orchestration.messages import Usage

PER = 1_000_000
"""Prices are for so many tokens."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What some turns have taken together."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float | None = 0.0
    """None: the price of one of the models is not known."""

    def plus(self, usage: Usage, cost: float | None) -> Spent:
        """The same and one turn more."""
        known = self.cost is not None and cost is not None
        return Spent(
            self.turns + 1,
            self.input_tokens + usage.input_tokens,
            self.output_tokens + usage.output_tokens,
            self.milliseconds + usage.milliseconds,
            (self.cost or 0.0) + (cost or 0.0) if known else None,
        )

    @property
    def money(self) -> str:
        """What it costs, as it is shown; nothing where that is not known."""
        return in_words(self.cost) if self.turns else ""

    @property
    def tokens(self) -> str:
        """What was sent and what was answered: `1,204 in · 88 out`."""
        return f"{self.input_tokens:,} in · {self.output_tokens:,} out"

    @property
    def seconds(self) -> str:
        """The time that models took: `398 ms`, `12.4 s`, `3 min 20 s`."""
        return duration(self.milliseconds)


def cost_of(model: str, usage: Usage) -> float | None:
    """What a turn costs by the prices of the settings; None where its model has none there."""
    prices: dict[str, tuple[float, float]] = settings.PRICES
    price = prices.get(model)
    if price is None:
        return None
    return (usage.input_tokens * price[0] + usage.output_tokens * price[1]) / PER


def in_words(cost: float | None) -> str:
    """A cost in dollars: `$0.0042`, `$12.40`; empty where it is not known."""
    if cost is None:
        return ""
    if cost >= 1:
        return f"${cost:,.2f}"
    if 0 < cost < 0.0001:
        return "< $0.0001"
    return f"${cost:.4f}"


def duration(milliseconds: float) -> str:
    """A time as people read it."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"
