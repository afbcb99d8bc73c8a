"""Sending of traces over OTLP/HTTP, with OpenTelemetry's exporter (extra `opentelemetry`).

The exporter reads its usual variables: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS,
OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from orchestration.telemetry import ERROR_TYPE, RunTrace, TraceSpan

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

    from designer.monitoring.span_export import Send

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

MAX_SPANS = 500
"""Maximum number of spans in a request."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class OtlpError(Exception):
    """Traces cannot be sent; the text says the next step."""


def has_collector() -> bool:
    """Report whether the environment names a collector."""
    return any(os.environ.get(name) for name in ENDPOINTS)


@contextmanager
def otlp_sender() -> Iterator[Send]:
    """Yield the function that sends traces, or raise `OtlpError`."""
    if not has_collector():
        raise OtlpError(
            f"No collector is set: set {ENDPOINTS[1]} to its address, such as "
            "http://127.0.0.1:4318."
        )
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError as error:
        raise OtlpError(
            "OpenTelemetry is not installed: install Baton with its extra `opentelemetry`."
        ) from error
    service = os.environ.get("OTEL_SERVICE_NAME") or "baton"
    resource = Resource.create({"service.name": service})
    exporter = OTLPSpanExporter()

    def send(traces: Sequence[RunTrace]) -> None:
        spans = [span for trace in traces for span in _readable(trace, resource)]
        for start in range(0, len(spans), MAX_SPANS):
            batch = spans[start : start + MAX_SPANS]
            if exporter.export(batch) is not SpanExportResult.SUCCESS:
                raise OtlpError(
                    "The collector did not accept the spans: check its address and its log. The "
                    "next export repeats them."
                )

    try:
        yield send
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]


def _readable(trace: RunTrace, resource: Resource) -> Iterator[ReadableSpan]:
    """Yield the spans in the form of OpenTelemetry's library.

    A tracer could not be used: it would choose the ids, and measure the present.
    """
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    def context(key: str) -> SpanContext:
        return SpanContext(
            trace.trace_id, trace.span_id(key), is_remote=False, trace_flags=TraceFlags(1)
        )

    scope = InstrumentationScope("baton")
    for span in trace.spans:
        error = {ERROR_TYPE: span.error} if span.error else {}
        yield ReadableSpan(
            span.name,
            context(span.key),
            context(span.parent) if span.parent else None,
            resource,
            {**span.attributes, **error},
            kind=SpanKind.CLIENT if span.kind == "client" else SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR if span.error else StatusCode.UNSET),
            start_time=_nanoseconds(span.start),
            end_time=_end(span),
            instrumentation_scope=scope,
        )


def _end(span: TraceSpan) -> int:
    return _nanoseconds(span.end or span.start)


def _nanoseconds(time: datetime) -> int:
    return (time - EPOCH) // timedelta(microseconds=1) * 1_000
