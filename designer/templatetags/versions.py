"""State of the draft for the header."""

from __future__ import annotations

from django import template

from designer.models import Pipeline
from designer.versions import DraftState, draft_state

register = template.Library()


@register.simple_tag(name="draft_state")
def state_of_draft(pipeline: Pipeline) -> DraftState:
    """Return the versions of a pipeline and the number of changes since the newest one."""
    return draft_state(pipeline)
