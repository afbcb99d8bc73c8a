"""The regular job that exports the spans of ended runs."""

from __future__ import annotations

from collections.abc import Iterator

from designer.jobs import JobFailedError, JobKind, start_job
from designer.models import Conversation, Job
from designer.monitoring.otlp import OtlpError, has_collector, otlp_sender
from designer.monitoring.span_export import conversations_with_new_runs, export_spans


def start_span_export() -> Job | None:
    """Start the export of new runs; None without a collector, without new runs, or during one.

    The new job replaces the previous one in the list of jobs. The conversations of a failed one
    belong to the new one.
    """
    jobs = Job.objects.filter(kind=SPANS.name)
    if not has_collector() or jobs.open().exists():
        return None
    items = conversations_with_new_runs()
    if not items:
        return None
    jobs.filter(ended__isnull=False).delete()
    return start_job(kind=SPANS, title="Export of spans to the collector", items=items)


def _process(job: Job, conversation_id: int) -> Iterator[bytes]:
    """Export a conversation, unless it was deleted or continued meanwhile."""
    if Conversation.objects.filter(pk=conversation_id, run_id="").exists():
        try:
            with otlp_sender() as send:
                export_spans(conversation_id, send)
        except OtlpError as error:
            raise JobFailedError(str(error)) from error
    yield b""


SPANS = JobKind(name="export-spans", unit="conversation", process=_process)
