"""Instrumentation: points at which the subjects report to the operators."""

from designer.instrumentation.client_addresses import UNKNOWN, client_address, socket_address
from designer.instrumentation.request_context import (
    RequestContext,
    current_request,
    in_request,
    new_request_id,
)

__all__ = [
    "UNKNOWN",
    "RequestContext",
    "client_address",
    "current_request",
    "in_request",
    "new_request_id",
    "socket_address",
]
