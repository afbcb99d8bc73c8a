"""Export of all spans to the collector of the environment."""

from __future__ import annotations

from designer.monitoring.otlp import otlp_sender
from designer.monitoring.span_export import conversations_with_new_runs, export_spans
from orchestration.telemetry import RunTrace


def export() -> list[RunTrace]:
    """Export the runs that have ended since the last export; return their spans."""
    with otlp_sender() as send:
        ids = conversations_with_new_runs()
        return [trace for pk in ids for trace in export_spans(pk, send)]
