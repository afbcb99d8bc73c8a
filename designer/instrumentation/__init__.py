"""Instrumentation: points at which the subjects report to the operators."""

from designer.instrumentation.client_addresses import UNKNOWN, client_address, socket_address
from designer.instrumentation.request_context import (
    RequestContext,
    current_request,
    in_request,
    new_request_id,
)
from designer.instrumentation.signals import (
    answer_begun,
    event_recorded,
    report_delta,
    report_recorded_event,
    report_takeover,
    run_taken_over,
)

__all__ = [
    "UNKNOWN",
    "RequestContext",
    "answer_begun",
    "client_address",
    "current_request",
    "event_recorded",
    "in_request",
    "new_request_id",
    "report_delta",
    "report_recorded_event",
    "report_takeover",
    "run_taken_over",
    "socket_address",
]
