"""Figures as people read them, in any template."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def thousands(number: float) -> str:
    """A number with its thousands apart: `1,204`."""
    return f"{number:,}"
