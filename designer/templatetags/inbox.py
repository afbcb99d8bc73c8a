"""How many conversations wait for a human, for the bar on top of every page."""

from __future__ import annotations

from typing import Any

from django import template

from designer.rehearsal import count_waiting

register = template.Library()


@register.simple_tag(takes_context=True)
def inbox_count(context: dict[str, Any]) -> int:
    """How many wait for whoever reads the page; 0 where nobody is signed in."""
    user = context.get("user")
    return count_waiting(user) if user is not None and user.is_authenticated else 0
