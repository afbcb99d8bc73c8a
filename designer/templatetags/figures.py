"""Number formats, available in every template."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def thousands(number: float) -> str:
    """Format a number with thousands separators: `1,204`."""
    return f"{number:,}"
