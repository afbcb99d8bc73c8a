"""`manage.py export_spans`: send the spans of ended runs to an OpenTelemetry collector."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from designer.monitoring.otlp import OtlpError, otlp_sender
from designer.monitoring.span_export import conversations_with_new_runs, export_spans


class Command(BaseCommand):
    """Export the runs that have ended since the last export, without waiting for the job."""

    help = (
        "Send the spans of the runs that have ended since the last export to the collector of "
        "OTEL_EXPORTER_OTLP_ENDPOINT, over OTLP/HTTP. A job does the same every minute."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Export the spans and print their number."""
        try:
            with otlp_sender() as send:
                ids = conversations_with_new_runs()
                traces = [trace for pk in ids for trace in export_spans(pk, send)]
        except OtlpError as error:
            raise CommandError(str(error)) from error
        spans = sum(len(trace.spans) for trace in traces)
        self.stdout.write(f"Exported: {len(traces)} runs, {spans} spans.")
