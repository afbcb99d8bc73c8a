"""Break points on the page."""

import pytest

from designer.rehearsal.actions.break_points import mark_point
from designer.rehearsal.fragments.break_points import render_break_points

pytestmark = pytest.mark.django_db


def test_break_points_are_on_the_page_and_sent_when_they_change(ask, conversation):
    for point in ("review", ("intake", "handling")):
        assert mark_point(conversation_id=conversation.pk, point=point, on=True) == ""
    conversation.refresh_from_db()
    for html in (ask("conversation"), render_break_points(conversation, may_steer=True)):
        assert 'data-element="stage-review"' in html
        assert 'data-element="edge-intake--handling"' in html
        assert "before handoffs intake → handling" in html
        assert html.count("data-unmark") == 2
    assert "data-unmark" not in render_break_points(conversation, may_steer=False)
