"""Notices next to a form in use while other people change its part."""

import pytest

from designer.accounts.sharing import share_pipeline
from designer.core.forms.page_state import PageState
from designer.core.undo import undo_edit
from designer.editor.actions.topology import delete_parts
from designer.editor.fragments.edits import render_since
from designer.models import Pipeline
from tests.designer.editor_page import hidden, inspected, stage_fields
from tests.designer.editor_requests import draw, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user, other_user):
    pipeline = draw(user, "intake", "review", "resolution")
    share_pipeline(pipeline=pipeline, username=other_user.username, role="editor")
    return pipeline


@pytest.fixture
def opened(client, pipeline):
    """State of a page that shows the stage review."""
    html = inspected(client, pipeline, kind="stage", key="review")
    return {"select": "stage:review", "base": hidden(html, "base"), "token": "i12345678"}


@pytest.fixture
def missed(user, pipeline, opened):
    """Function that returns the missed changes: `missed(typing="typed")`."""

    def since(**shown):
        known = Pipeline.objects.get(pk=pipeline.pk)
        return render_since(known, user, PageState.parse(opened | {"version": "1"} | shown))

    return since


def test_a_form_without_unsaved_text_is_rendered_again(pipeline, other_client, missed):
    send(other_client, pipeline, "update_stage", **stage_fields("review", description="Theirs"))
    for typing in ("", "field"):
        html = missed(typing=typing)
        assert '<aside id="inspector"' in html, "the page gives its focus back"
        assert "Theirs" in html
        assert 'name="token" value="i12345678"' in html, "the fields keep their ids"


def test_unsaved_text_stays_with_the_author_of_the_change(
    pipeline, other_client, other_user, missed
):
    send(other_client, pipeline, "update_stage", **stage_fields("review", description="Theirs"))
    html = missed(typing="typed")
    assert '<aside id="inspector"' not in html
    assert f"Changed in the meantime by {other_user.username}" in html


def test_a_change_of_another_part_shows_no_notice(pipeline, other_client, missed):
    send(other_client, pipeline, "update_stage", **stage_fields("intake", description="Theirs"))
    html = missed(typing="typed")
    assert '<aside id="inspector"' not in html
    assert "Changed in the meantime" not in html


@pytest.mark.parametrize("typing", ["field", "typed"])
def test_the_form_of_a_deleted_part_stays_with_a_notice(pipeline, other_user, missed, typing):
    delete_parts(pipeline=pipeline, user=other_user, phases=["review"])
    html = missed(typing=typing)
    assert '<aside id="inspector"' not in html
    assert f"The stage review was deleted by {other_user.username}." in html
    assert ">Deleted</small>" in html
    assert "gesture-undo" not in html.partition('id="merge"')[2], "it is not theirs to take back"

    undo_edit(pipeline=pipeline, user=other_user)
    html = missed(typing="gone")
    assert '<aside id="inspector"' not in html, "what was typed stays"
    assert '<div id="merge" class="merge" hx-swap-oob="true"></div>' in html


def test_the_author_of_a_deletion_is_offered_undo(client, pipeline, opened):
    response = send(client, pipeline, "delete_parts", stages='["review"]', typing="typed", **opened)
    assert response.status_code == 200
    assert "inspector" not in swapped(response)
    assert "HX-Trigger-After-Settle" not in response.headers, "nothing else is selected"
    said = response.text.partition('id="merge"')[2]
    assert "The stage review was deleted by you." in said
    assert 'form="gesture-undo"' in said


def test_a_part_selected_by_a_gesture_has_a_new_form(client, pipeline, opened):
    response = send(client, pipeline, "add_stage", typing="typed", kind="agent", **opened)
    assert "inspector" in swapped(response)
