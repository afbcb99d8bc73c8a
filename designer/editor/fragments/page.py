"""The whole page of the editor."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.accounts import ShareForm, unshared_subtasks
from designer.canvas import canvas_context
from designer.core import PageState, find_issues
from designer.editor.fragments.edits import chrome
from designer.editor.fragments.inspector import inspector
from designer.editor.fragments.panels import bottom_panel, left_panel
from designer.models import Pipeline
from designer.pipelines import checklist_of


def editor_page(pipeline: Pipeline, user: User, shown: PageState) -> dict[str, Any]:
    """Return the context of `editor/editor.html`."""
    definition = definitions.read(pipeline)
    issues = find_issues(pipeline, user, definition)
    return {
        **chrome(pipeline, user),
        **canvas_context(definition),
        **left_panel(definition),
        **bottom_panel(definition, issues, shown),
        "checklist": checklist_of(pipeline, user, definition),
        "share_form": ShareForm(),
        "unshared": unshared_subtasks(pipeline) if pipeline.owner_id == user.pk else [],
        "inspector": inspector(pipeline, user, definition, shown, issues),
    }
