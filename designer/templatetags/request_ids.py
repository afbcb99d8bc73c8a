"""Id of the request, for error pages: it leads to the log lines."""

from __future__ import annotations

from django import template

from designer.instrumentation import current_request

register = template.Library()


@register.simple_tag
def request_id() -> str:
    """Return the id of the current request; empty outside of requests."""
    return current_request().id
