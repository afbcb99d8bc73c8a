"""Charts of conversations: figures for the SVG drawings and for their tables.

Each chart reads summaries only. Those of rejections and of times read the newest conversations,
because their figures are stored as JSON.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Sum, TextField
from django.db.models.functions import Cast, Substr

from designer.conversations.outcomes import GROUPS, Group, outcome_of
from designer.conversations.rows import duration, money
from designer.models import ConversationSummaryQuerySet, Release

MAX_DAYS = 90
"""Maximum number of days of a chart."""

DEFAULT_DAYS = 30
"""Number of days without a filter of the date."""

SAMPLE = 2_000
"""Number of the newest conversations that the charts of rejections and times read."""

MAX_BARS = 5
"""Maximum number of bars of a chart with horizontal bars."""

WIDTH, HEIGHT = 360, 72
"""Size of the drawing of a chart by day, in its own units."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a day's bar."""

    group: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Day:
    """Figures of a day; `values` are in the order of the chart's names."""

    day: date
    values: Sequence[str]
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class DayMark:
    """A moment in a chart by day: `v7 live`."""

    label: str
    day: date
    percent: float
    """Distance from the start of the first day."""


@dataclass(frozen=True, slots=True)
class DayChart:
    """A chart with a bar for each day, and its table."""

    names: Sequence[str]
    groups: Sequence[str]
    """Names of the colours, in the order of `names`."""
    days: Sequence[Day]
    total: str
    mark: DayMark | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A horizontal bar: a name, a length in percent, and its values."""

    name: str
    percent: float
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Charts:
    """All charts of a list of conversations."""

    runs: DayChart
    tokens: DayChart
    cost: DayChart
    rejections: Sequence[Bar]
    times: Sequence[Bar]
    sample: int
    """Number of conversations that were read for rejections and times, if not all."""


def draw_charts(
    rows: ConversationSummaryQuerySet,
    *,
    since: date | None,
    until: date | None,
    today: date,
    names: Mapping[str, str] | None = None,
    live: Release | None = None,
) -> Charts:
    """Return the charts of some summaries, by default of the last 30 days.

    `names` are those of the agents, by their ids. `live` is the live release, whose promotion is
    marked.
    """
    last = min(until or today, today)
    first = max(since or last - timedelta(days=DEFAULT_DAYS - 1), last - timedelta(MAX_DAYS - 1))
    rows = rows.filter(last_at__gte=datetime.combine(first, time(), UTC))
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    figures = _figures_by_day(rows)
    newest = rows.order_by("-last_at")
    times = list(newest.values_list("answer_times", flat=True)[:SAMPLE])
    rejected = newest.filter(rejections__gt=0).values_list("rejected", flat=True)[:SAMPLE]
    return Charts(
        runs=replace(_runs(days, figures), mark=live_mark(live, days)),
        tokens=_amounts(days, figures, "tokens", "Tokens", "{:,.0f}".format),
        cost=_amounts(days, figures, "cost", "Cost", money),
        rejections=rejection_bars(rejected),
        times=time_bars(times, names or {}),
        sample=SAMPLE if len(times) == SAMPLE else 0,
    )


def live_mark(live: Release | None, days: Sequence[date]) -> DayMark | None:
    """Return the mark of the promotion of the live version; None if it is on none of the days."""
    if live is None:
        return None
    promoted = live.promoted.astimezone(UTC)
    if promoted.date() not in days:
        return None
    distance = promoted - datetime.combine(days[0], time(), UTC)
    percent = round(100 * (distance / timedelta(days=len(days))), 1)
    return DayMark(f"{live.version} live", promoted.date(), percent)


def rejection_bars(rejected: Iterable[dict[str, int]]) -> list[Bar]:
    """Return the most frequently rejected transitions with the kinds of refusal."""
    totals: Counter[tuple[str, str]] = Counter()
    codes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for counts in rejected:
        for key, count in counts.items():
            source, target, code = key.split(" ")
            totals[source, target] += count
            codes[source, target][code.replace("_", " ")] += count
    most = totals.most_common(MAX_BARS)
    return [
        Bar(
            " → ".join(pair),
            100 * count / most[0][1],
            [f"{count:,}", ", ".join(code for code, _ in codes[pair].most_common(3))],
        )
        for pair, count in most
    ]


def time_bars(times: Iterable[dict[str, list[list[float]]]], names: Mapping[str, str]) -> list[Bar]:
    """Return the median times to the first word and to the end, by agent, slowest first."""
    by_agent: defaultdict[str, list[list[float]]] = defaultdict(list)
    for answers in times:
        for agent, pairs in answers.items():
            by_agent[agent] += pairs
    medians = {
        agent: (median(first for first, _ in pairs), median(end for _, end in pairs))
        for agent, pairs in by_agent.items()
    }
    slowest = sorted(medians.items(), key=lambda entry: -entry[1][1])[:MAX_BARS]
    longest = max((end for _, (_, end) in slowest), default=0) or 1
    return [
        Bar(names.get(agent, agent), 100 * end / longest, [duration(first), duration(end)])
        for agent, (first, end) in slowest
    ]


def _figures_by_day(rows: ConversationSummaryQuerySet) -> dict[str, dict[str, Any]]:
    """Return the number of conversations by group, the tokens and the cost, by day in UTC."""
    # Dates as text are several times faster than `TruncDate` on SQLite.
    day = Substr(Cast("last_at", TextField()), 1, 10)
    groups = rows.order_by().values("outcome", day=day)
    # The origin of a fork counts the copied events.
    tokens = Sum(F("tokens") - F("copied_tokens"))
    cost = Sum(F("cost") - F("copied_cost"))
    sums = groups.annotate(count=Count("pk"), all_tokens=tokens, all_cost=cost)
    figures: dict[str, dict[str, Any]] = {}
    for row in sums:
        entry = figures.setdefault(row["day"], {"tokens": 0, "cost": 0.0, "groups": Counter()})
        entry["groups"][outcome_of(row["outcome"]).group] += row["count"]
        entry["tokens"] += row["all_tokens"]
        entry["cost"] += row["all_cost"]
    return figures


def _runs(days: Sequence[date], figures: dict[str, dict[str, Any]]) -> DayChart:
    groups: Sequence[Group] = list(GROUPS)
    table = [
        [figures.get(day.isoformat(), {}).get("groups", {}).get(group, 0) for group in groups]
        for day in days
    ]
    total = sum(map(sum, table))
    return _day_chart(days, table, list(GROUPS.values()), groups, "{:,.0f}".format, f"{total:,}")


def _amounts(
    days: Sequence[date], figures: dict[str, dict[str, Any]], key: str, name: str, text: Any
) -> DayChart:
    table = [[figures.get(day.isoformat(), {}).get(key, 0)] for day in days]
    return _day_chart(days, table, [name], ["amount"], text, text(sum(map(sum, table))))


def _day_chart(
    days: Sequence[date],
    table: Sequence[Sequence[float]],
    names: Sequence[str],
    groups: Sequence[str],
    text: Any,
    total: str,
) -> DayChart:
    highest = max(map(sum, table), default=0) or 1
    step = WIDTH / max(1, len(days))
    return DayChart(
        names,
        groups,
        [
            Day(
                day,
                [text(value) for value in values],
                _stack(number, step, values, groups, highest),
            )
            for number, (day, values) in enumerate(zip(days, table, strict=True))
        ],
        total,
    )


def _stack(
    number: int, step: float, values: Sequence[float], groups: Sequence[str], highest: float
) -> list[Part]:
    """Return the parts of a day's bar, from the bottom up."""
    parts, top = [], float(HEIGHT)
    for group, value in zip(groups, values, strict=True):
        height = HEIGHT * value / highest
        top -= height
        if value:
            x = round(number * step + step * 0.1, 2)
            parts.append(Part(group, x, round(top, 2), round(step * 0.8, 2), round(height, 2)))
    return parts
