"""Forms in which someone is while what they are about becomes something else."""

import pytest

from designer.accounts.sharing import share_pipeline
from designer.core.edits import undo_edit
from designer.core.forms.page_state import PageState
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
    """What a page says that shows the stage review."""
    html = inspected(client, pipeline, kind="stage", key="review")
    return {"select": "stage:review", "base": hidden(html, "base"), "token": "i12345678"}


@pytest.fixture
def heard(user, pipeline, opened):
    """What the page is sent of what it has missed: `heard(typing="typed")`."""

    def since(**shown):
        known = Pipeline.objects.get(pk=pipeline.pk)
        return render_since(known, user, PageState.parse(opened | {"version": "1"} | shown))

    return since


def test_a_form_that_says_what_is_saved_is_drawn_anew(pipeline, other_client, heard):
    send(other_client, pipeline, "update_stage", **stage_fields("review", description="Theirs"))
    for typing in ("", "field"):
        html = heard(typing=typing)
        assert '<aside id="inspector"' in html, "the page gives its focus back"
        assert "Theirs" in html
        assert 'name="token" value="i12345678"' in html, "the fields keep their ids"


def test_what_is_not_saved_stays_and_is_told_who_changed_it(
    pipeline, other_client, other_user, heard
):
    send(other_client, pipeline, "update_stage", **stage_fields("review", description="Theirs"))
    html = heard(typing="typed")
    assert '<aside id="inspector"' not in html
    assert f"Changed meanwhile by {other_user.username}" in html


def test_what_is_changed_elsewhere_says_nothing_beside_a_form(pipeline, other_client, heard):
    send(other_client, pipeline, "update_stage", **stage_fields("intake", description="Theirs"))
    html = heard(typing="typed")
    assert '<aside id="inspector"' not in html
    assert "Changed meanwhile" not in html


@pytest.mark.parametrize("typing", ["field", "typed"])
def test_a_form_about_what_someone_deleted_stays_and_says_so(pipeline, other_user, heard, typing):
    delete_parts(pipeline=pipeline, user=other_user, phases=["review"])
    html = heard(typing=typing)
    assert '<aside id="inspector"' not in html
    assert f"The stage review was deleted by {other_user.username}." in html
    assert ">Deleted</small>" in html
    assert "gesture-undo" not in html.partition('id="merge"')[2], "it is not theirs to take back"

    undo_edit(pipeline=pipeline, user=other_user)
    html = heard(typing="gone")
    assert '<aside id="inspector"' not in html, "what was typed stays"
    assert '<div id="merge" class="merge" hx-swap-oob="true"></div>' in html


def test_who_deleted_it_themselves_has_undo_at_hand(client, pipeline, opened):
    response = send(client, pipeline, "delete_parts", stages='["review"]', typing="typed", **opened)
    assert response.status_code == 200
    assert "inspector" not in swapped(response)
    assert "HX-Trigger-After-Settle" not in response.headers, "nothing else is selected"
    said = response.text.partition('id="merge"')[2]
    assert "The stage review was deleted by you." in said
    assert 'form="gesture-undo"' in said


def test_nobody_is_in_a_form_about_what_is_selected_by_a_gesture(client, pipeline, opened):
    response = send(client, pipeline, "add_stage", typing="typed", kind="agent", **opened)
    assert "inspector" in swapped(response)
