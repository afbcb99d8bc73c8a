"""All metrics, by their names for Prometheus.

Each process counts by itself and exposes its own numbers: a server at `/metrics`, and a process
without pages at BATON_METRICS_PORT. Scrape every process and sum up. Counters of runs are derived
from the events that the process records, so each run, handoff and turn is counted by one process
once. Numbers of the whole installation (`baton_active_runs`, `baton_queue_age_seconds` and the
others in `shared_state`) come from the database and are the same in every process: use `max`.

No label has values that users choose, so their number stays small.
"""

from __future__ import annotations

import logging

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0

CONTENT_TYPE = CONTENT_TYPE_PLAIN_1_0_0

MODEL_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

RUNS = Counter(
    "baton_runs", "Ended runs of conversations by stop reason.", ["reason"], registry=REGISTRY
)
HANDOFFS = Counter(
    "baton_handoffs",
    "Decided handoffs: accepted, or the kind of refusal.",
    ["result"],
    registry=REGISTRY,
)
TAKEOVERS = Counter(
    "baton_lease_takeovers",
    "Runs that this process took over after their lease had expired.",
    registry=REGISTRY,
)
TURN_SECONDS = Histogram(
    "baton_turn_seconds",
    "Seconds from the call of a model to its complete answer, retries included.",
    buckets=MODEL_SECONDS,
    registry=REGISTRY,
)
FIRST_TOKEN_SECONDS = Histogram(
    "baton_first_token_seconds",
    "Seconds from the call of a model to the first text of its answer, retries included.",
    buckets=MODEL_SECONDS,
    registry=REGISTRY,
)
TURN_RETRIES = Counter("baton_turn_retries", "Failed and repeated model calls.", registry=REGISTRY)
TOKENS = Counter("baton_tokens", "Tokens of model calls.", ["direction"], registry=REGISTRY)
TOOL_CALLS = Counter("baton_tool_calls", "Tool calls by result.", ["result"], registry=REGISTRY)
SOCKETS = Gauge("baton_sockets", "Open websockets by page.", ["page"], registry=REGISTRY)
REQUESTS = Histogram(
    "baton_http_request_seconds",
    "Seconds until the response to a request, by class of its status.",
    ["status"],
    buckets=REQUEST_SECONDS,
    registry=REGISTRY,
)
ERRORS = Counter(
    "baton_errors", "Log records of level ERROR or higher.", ["logger"], registry=REGISTRY
)


def exposition() -> bytes:
    """Return all metrics in Prometheus' text format."""
    return generate_latest(REGISTRY)


class ErrorCounter(logging.Handler):
    """Handler that counts errors by the first two parts of their logger's name."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        ERRORS.labels(".".join(record.name.split(".")[:2])).inc()
