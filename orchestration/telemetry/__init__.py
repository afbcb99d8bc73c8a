"""Telemetry: the spans of runs, built from recorded events."""

from orchestration.telemetry.names import AGENT_VERSION as VERSION
from orchestration.telemetry.names import CONVERSATION, ERROR_TYPE, REQUEST
from orchestration.telemetry.trace_span import Attribute, TraceSpan
from orchestration.telemetry.traces import RunTrace, traces_of

__all__ = [
    "CONVERSATION",
    "ERROR_TYPE",
    "REQUEST",
    "VERSION",
    "Attribute",
    "RunTrace",
    "TraceSpan",
    "traces_of",
]
