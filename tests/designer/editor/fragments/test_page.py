"""The whole page of the editor."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer.core import PageState, Selection
from designer.editor.fragments.page import editor_page
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


def test_the_page_shows_the_canvas_the_panels_and_the_selected_part(user):
    pipeline = draw(user, "intake", "review")
    shown = PageState(selection=Selection("stage", "review"), panel="outline")
    page = editor_page(pipeline, user, shown)
    assert [card.phase for card in page["stages"]] == ["intake", "review"]
    assert [agent.key for agent in page["agents"]] == ["agent-intake", "agent-review"]
    assert [row.phase for row in page["outline_rows"]] == ["intake", "review"]
    assert page["inspector"]["key"] == "review"
    assert (page["mode"], page["undo"], page["problems"]) == ("design", None, [])


def test_the_queries_of_the_page_do_not_grow_with_the_pipeline(user):
    counts = []
    for pipeline in (draw(user, "a", "b"), draw(user, *(f"s{n}" for n in range(60)))):
        with CaptureQueriesContext(connection) as queries:
            editor_page(pipeline, user, PageState())
        counts.append(len(queries))
    assert counts[0] == counts[1]
