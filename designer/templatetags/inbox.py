"""Number of conversations that wait for a human, for the top bar."""

from __future__ import annotations

from typing import Any

from django import template

from designer.rehearsal import count_waiting

register = template.Library()


@register.simple_tag(takes_context=True)
def inbox_count(context: dict[str, Any]) -> int:
    """Return the number of waiting conversations; 0 without a login."""
    user = context.get("user")
    return count_waiting(user) if user is not None and user.is_authenticated else 0
