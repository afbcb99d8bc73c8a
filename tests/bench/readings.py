"""Readings of the engine benchmark: the lines of `peers.py --out`, and tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from pydantic import BaseModel, Field, TypeAdapter

OURS = "eng_baton"
OTHER_CHECKOUT = "eng_against"
FLOOR = "eng_bare"
TYPED = "eng_bare_typed"
"""The bare loop with checked arguments and an event for each step."""

WORKLOADS = {
    "W1": "one reply",
    "W2": "one handoff",
    "W3": "five agents, four handoffs",
    "W4": "a message among fifty",
    "W5": "three parallel tools",
    "W6": "a thousand handoffs at once",
    "W7": "an answer of 100 deltas",
}

GOALS = {"W1": 2.0, "W2": 2.0, "W3": 2.0, "W4": 2.0, "W5": 1.6, "W6": 2.0, "W7": 1.3}
"""Target of each workload: its CPU as a multiple of the CPU of the bare loop."""


class Reading(BaseModel):
    """One workload of one engine in one round; times are microseconds of CPU for a message."""

    cpu_us: float = 0
    floor_cpu_us: float = 0
    """The bare loop's, in the same process."""
    cpu_ratio: float = 0
    model_calls: float | None = None
    tool_runs: float | None = None
    slope_us_per_turn: float | None = None
    """Additional cost of a message for each message before it."""
    error: str | None = None


class Memory(BaseModel):
    """Memory of a conversation of two agents, in KiB of Python objects."""

    live_kb: float
    left_after_close_kb: float


class Line(BaseModel):
    """One engine in one round."""

    engine: str
    label: str
    version: str
    readings: dict[str, Reading] = Field(default_factory=dict, alias="w")
    memory: Memory | None = Field(default=None, alias="mem")
    error: str | None = None


_LINE = TypeAdapter(Line)


def read(path: Path) -> list[Line]:
    """Return the lines of a file."""
    return [_LINE.validate_json(text) for text in path.read_text().splitlines()]


def errors(lines: Iterable[Line], engine: str) -> list[str]:
    """Return the errors of an engine, each with the name of its workload."""
    failures = []
    for line in lines:
        if line.engine == engine:
            by_workload = {name: reading.error for name, reading in line.readings.items()}
            by_workload[line.label] = line.error
            failures += [f"{name}: {error}" for name, error in by_workload.items() if error]
    return failures


def table(lines: Sequence[Line]) -> str:
    """Return a Markdown table of Baton, the bare loops, the best other engine and the target."""
    rows = [
        "| CPU of one message | bare loop | typed loop | best other | Baton | goal |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in WORKLOADS.items():
        ours = _of(lines, OURS, name)
        if not ours:
            continue
        floor = median(reading.floor_cpu_us for reading in ours)
        cost = median(reading.cpu_us for reading in ours)
        typed = _of(lines, TYPED, name)
        rows.append(
            f"| {name} {title} | {floor:,.1f} µs | {_times(typed)} | {_best(lines, name)} "
            f"| {cost:,.1f} µs, {_times(ours)} | ≤ {GOALS[name]:g}x |"
        )
    growth = [
        reading.slope_us_per_turn
        for reading in _of(lines, OURS, "W4")
        if reading.slope_us_per_turn is not None
    ]
    if growth:
        rows.append(
            f"| W4 more for each message before | | | | {median(growth):.2f} µs | ≤ 0.1 µs |"
        )
    rows += [
        f"| memory of a conversation of two agents; left after closing | | | "
        f"| {line.memory.live_kb:.1f} KiB; {line.memory.left_after_close_kb:.1f} | ≤ 4 KiB; 0 |"
        for line in lines
        if line.engine == OURS and line.memory is not None
    ]
    return "\n".join(rows)


def comparison(lines: Sequence[Line]) -> str:
    """Return a Markdown table of this checkout and the other one: ratios to the bare loop.

    Each reading is a ratio to a bare loop in the same process, so that the load of the machine
    cancels out.
    """
    rows = ["| CPU over a bare loop | other checkout | this | this / other |", "|---|---|---|---|"]
    for name, title in WORKLOADS.items():
        before, now = (_of(lines, engine, name) for engine in (OTHER_CHECKOUT, OURS))
        if before and now:
            other, this = (
                median(reading.cpu_ratio for reading in readings) for readings in (before, now)
            )
            rows.append(f"| {name} {title} | {other:.2f} | {this:.2f} | {this / other:.2f} |")
    return "\n".join(rows)


def _of(lines: Iterable[Line], engine: str, workload: str) -> list[Reading]:
    """Return the successful readings of a workload."""
    return [
        line.readings[workload]
        for line in lines
        if line.engine == engine
        and workload in line.readings
        and line.readings[workload].error is None
    ]


def _times(readings: Sequence[Reading]) -> str:
    return f"{median(reading.cpu_ratio for reading in readings):.1f}x" if readings else "-"


def _best(lines: Sequence[Line], workload: str) -> str:
    """Return the ratio and the name of the fastest other framework."""
    others = {line.engine: line.label for line in lines}
    ranked = [
        (median(reading.cpu_ratio for reading in readings), label)
        for engine, label in others.items()
        if engine not in (OURS, OTHER_CHECKOUT, FLOOR, TYPED)
        and (readings := _of(lines, engine, workload))
    ]
    if not ranked:
        return "-"
    ratio, label = min(ranked)
    return f"{ratio:.1f}x {label}"
