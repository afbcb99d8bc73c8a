"""A small pipeline for each test of the canvas."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.canvas.editor import Editor
from tests.e2e.navigation import bring_in

FILE: dict[str, Any] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Refunds",
    "agents": [{"id": "agent-triage", "name": "Triage"}, {"id": "agent-writer", "name": "Writer"}],
    "stages": [
        {"phase": "intake", "agent_id": "agent-triage"},
        {"phase": "answer", "agent_id": "agent-writer"},
        {"phase": "review"},
    ],
    "transitions": [{"source": "intake", "target": "answer"}],
    "entry": "intake",
    "layout": {
        "stages": {
            "intake": {"x": 0, "y": 0},
            "answer": {"x": 320, "y": 0},
            "review": {"x": 320, "y": 240},
        }
    },
}


@pytest.fixture
def editor(page: Page) -> Editor:
    """The editor of a small pipeline: intake → answer, and review beside them."""
    return draw(page)


def draw(page: Page, **more: object) -> Editor:
    """Have the page show the editor of such a pipeline, a new one, with more in it."""
    return Editor(page, bring_in(page, FILE | more))
