"""Command that exports the spans of ended runs."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from designer.models import SpanExport
from designer.monitoring.otlp import ENDPOINTS
from tests.designer.recorded_conversations import QUESTION, record_rehearsal
from tests.otlp_receiver import collector

pytestmark = pytest.mark.django_db


def test_a_refusing_collector_loses_no_span_and_exported_ones_are_counted(user, monkeypatch):
    record_rehearsal(user, QUESTION, "Yes, please.")
    output = StringIO()
    with collector(monkeypatch) as receiver:
        receiver.status = 400
        with pytest.raises(CommandError, match="did not accept the spans"):
            call_command("export_spans", stdout=output)
        assert not SpanExport.objects.exists()
        receiver.status = 200
        for _ in range(2):
            call_command("export_spans", stdout=output)
    assert receiver.spans
    assert output.getvalue().splitlines() == [
        f"Exported: 2 runs, {len(receiver.spans)} spans.",
        "Exported: 0 runs, 0 spans.",
    ]


def test_without_a_collector_the_command_says_the_next_step(monkeypatch):
    for name in ENDPOINTS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(CommandError, match="set OTEL_EXPORTER_OTLP_ENDPOINT to its address"):
        call_command("export_spans")
