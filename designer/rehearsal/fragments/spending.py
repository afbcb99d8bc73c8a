"""Usage of turns: tokens, time and, if the prices are known, cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from designer.models import Connection
from orchestration.conversation import Budget, CallCost
from orchestration.events import Resource
from orchestration.messages import Usage

PER = 1_000_000
"""Number of tokens per price."""

Price = tuple[float, float]
"""Prices of sent and received tokens, in dollars."""

ModelKey = tuple[str, str]
"""Names of a provider and its model in events."""

UNKNOWN_MODEL: ModelKey = ("", "")


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Total usage of several turns."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float | None = 0.0
    """None if the price of a model is unknown."""

    def plus(self, usage: Usage, cost: float | None) -> UsageTotal:
        """Return the total including another turn."""
        known = self.cost is not None and cost is not None
        return UsageTotal(
            self.turns + 1,
            self.input_tokens + usage.input_tokens,
            self.output_tokens + usage.output_tokens,
            self.milliseconds + usage.milliseconds,
            (self.cost or 0.0) + (cost or 0.0) if known else None,
        )

    @property
    def money(self) -> str:
        """Cost as text; empty if unknown."""
        return in_words(self.cost) if self.turns else ""

    @property
    def tokens(self) -> str:
        """Sent and received tokens: `1,204 in · 88 out`."""
        return f"{self.input_tokens:,} in · {self.output_tokens:,} out"

    @property
    def seconds(self) -> str:
        """Time of model calls: `398 ms`, `12.4 s`, `3 min 20 s`."""
        return duration(self.milliseconds)


def prices_of(conversation_id: int) -> Mapping[str, Price]:
    """Return the known prices of the owner's connections, by their names."""
    return _prices(Connection.objects.filter(owner__pipelines__conversations=conversation_id))


def prices_of_owner(owner_id: int | None) -> Mapping[str, Price]:
    """Return the known prices of a user's connections; none without a user."""
    return {} if owner_id is None else _prices(Connection.objects.filter(owner_id=owner_id))


def _prices(rows: QuerySet[Connection]) -> Mapping[str, Price]:
    return {
        name: (price_in or 0.0, price_out or 0.0)
        for name, price_in, price_out in rows.values_list("name", "price_in", "price_out")
        if price_in is not None or price_out is not None
    }


def call_cost_of(prices: Mapping[str, Price]) -> CallCost:
    """Return the function that gives the engine the cost of a model call."""
    return lambda provider, model, usage: cost_of((provider, model), usage, prices)


def cost_of(key: ModelKey, usage: Usage, prices: Mapping[str, Price]) -> float | None:
    """Return the cost of a turn by the prices of the settings or of the connection.

    None if neither has a price.
    """
    provider, model = key
    model_prices: dict[str, Price] = settings.PRICES
    price = model_prices.get(model) or prices.get(provider)
    if price is None:
        return None
    return (usage.input_tokens * price[0] + usage.output_tokens * price[1]) / PER


def in_words(cost: float | None) -> str:
    """Return a cost in dollars: `$0.0042`, `$12.40`; empty if it is unknown."""
    if cost is None:
        return ""
    if cost >= 1:
        return f"${cost:,.2f}"
    if 0 < cost < 0.0001:
        return "< $0.0001"
    return f"${cost:.4f}"


def amount_in_words(resource: Resource, used: float, limit: float) -> str:
    """Return the used part of a limit: `34 of 200`, `$0.20 of $0.25`, `12 of 900 seconds`."""
    if resource == "cost":
        return f"{in_words(used)} of {in_words(limit)}"
    unit = " seconds" if resource == "time" else ""
    return f"{_short(used)} of {_short(limit)}{unit}"


def budget_in_words(budget: Budget) -> list[str]:
    """Return the used parts of a run's budget: `34 of 200 calls`.

    The calls always, the cost if it is limited, tokens and time once half of them is used.
    """
    limits = budget.limits
    texts = [f"{amount_in_words('calls', budget.calls, limits.max_calls)} calls"]
    if budget.tokens * 2 >= limits.max_tokens:
        texts.append(f"{amount_in_words('tokens', budget.tokens, limits.max_tokens)} tokens")
    if limits.max_cost is not None:
        texts.append(amount_in_words("cost", budget.cost, limits.max_cost))
    if budget.seconds * 2 >= limits.max_seconds:
        texts.append(amount_in_words("time", budget.seconds, limits.max_seconds))
    return texts


def unpriced_in_words(budget: Budget) -> str:
    """Return the models whose calls a limit of the cost does not include; empty without a limit."""
    if budget.limits.max_cost is None:
        return ""
    models = [
        f"{model or provider} ({calls})" for (provider, model), calls in budget.unpriced.items()
    ]
    return ", ".join(models)


def _short(number: float) -> str:
    return f"{round(number, 1):,}".removesuffix(".0")


def duration(milliseconds: float) -> str:
    """Return a duration for people."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"
