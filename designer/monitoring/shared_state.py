"""Metrics of the whole installation, read from the database at each scrape."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import Error as AnyDatabaseError
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from designer.models import Command, Conversation
from designer.monitoring.metrics import REGISTRY
from designer.rehearsal import count_driven_runs, run_queue

DESCRIPTIONS = {
    "baton_active_runs": "Runs that a worker drives.",
    "baton_queued_runs": "Runs that wait for a worker.",
    "baton_queue_age_seconds": "Age of the oldest run in the queue.",
    "baton_waiting_for_human": "Conversations that wait for a human.",
    "baton_queued_commands": "Messages and commands that no run has processed yet.",
}


class SharedStateCollector(Collector):
    """Collector of the gauges; `baton_database_up` is 0 if the database cannot be read."""

    def collect(self) -> Iterator[Metric]:
        """Read the database."""
        try:
            values = read_shared_state()
        except AnyDatabaseError:
            values = {}
        yield GaugeMetricFamily(
            "baton_database_up", "1 if the database can be read.", value=int(bool(values))
        )
        for name, value in values.items():
            yield GaugeMetricFamily(name, DESCRIPTIONS[name], value=value)

    def describe(self) -> Iterator[Metric]:
        """Name the metrics without reading the database."""
        for name, text in DESCRIPTIONS.items():
            yield GaugeMetricFamily(name, text)


def read_shared_state() -> dict[str, float]:
    """Return the gauges by name; each of the queries uses an index or a small table."""
    queue = run_queue()
    return {
        "baton_active_runs": count_driven_runs(),
        "baton_queued_runs": queue.length,
        "baton_queue_age_seconds": max(0.0, queue.seconds),
        "baton_waiting_for_human": Conversation.objects.filter(waits_for_human=True).count(),
        "baton_queued_commands": Command.objects.filter(refusal="").count(),
    }


def register() -> None:
    """Add the gauges to the exposition of this process."""
    REGISTRY.register(SharedStateCollector())
