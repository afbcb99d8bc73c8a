"""`manage.py export_spans`: send the spans of ended runs to an OpenTelemetry collector."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from designer.monitoring.otlp import OtlpError, otlp_sender
from designer.monitoring.span_export import export_spans


class Command(BaseCommand):
    """Export the runs that have ended since the last export."""

    help = (
        "Send the spans of the runs that have ended since the last export to the collector of "
        "OTEL_EXPORTER_OTLP_ENDPOINT, over OTLP/HTTP. Run it at intervals."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Export the spans and print their number."""
        try:
            with otlp_sender() as send:
                exported = export_spans(send)
        except OtlpError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Exported: {exported.runs} runs, {exported.spans} spans.")
