"""Pages of the history of edits."""

from __future__ import annotations

import pytest
from django.urls import reverse

from designer.editor.actions.agents import add_agent
from designer.versions.history.views import PAGE
from tests.designer.editor_requests import draw, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(client, user):
    row = draw(user, "intake", "review")
    send(client, row, "add_agent")
    send(client, row, "delete_parts", stages='["review"]')
    row.refresh_from_db()
    return row


def test_the_history_lists_author_and_edit_and_draws_a_state(client, user, pipeline):
    html = client.get(reverse("edit_history", args=[pipeline.pk])).text
    labels = [entry.label for entry in pipeline.history.all()]
    assert html.index(labels[0]) < html.index(labels[1])
    assert user.get_username() in html
    assert "Choose an edit" in html
    path = reverse("edit_history_point", args=[pipeline.pk, pipeline.version])
    drawn = client.get(path).text
    assert "<title>removed</title>" in drawn
    assert 'aria-current="true"' in drawn
    path = reverse("edit_history_point", args=[pipeline.pk, pipeline.version - 1])
    assert "\N{MINUS SIGN} removed" not in client.get(path).text


def test_a_state_is_restored(client, pipeline):
    path = reverse("edit_history_restore", args=[pipeline.pk, pipeline.version - 1])
    response = client.post(path, {"draft": pipeline.version})
    assert response.url == reverse("editor", args=[pipeline.pk])
    assert "review" in now(pipeline).stages_by_phase


def test_a_refused_restoration_is_told_in_one_sentence(client, pipeline):
    before = now(pipeline)
    path = reverse("edit_history_restore", args=[pipeline.pk, pipeline.version - 1])
    page = client.post(path, {"draft": pipeline.version - 1}, follow=True)
    assert "The draft was edited meanwhile" in page.text
    for number in (0, 10_000):
        path = reverse("edit_history_restore", args=[pipeline.pk, number])
        assert "does not hold this edit" in client.post(path, follow=True).text
        path = reverse("edit_history_point", args=[pipeline.pk, number])
        assert "does not hold this edit" in client.get(path, follow=True).text
    assert now(pipeline) == before


def test_older_edits_are_on_further_pages(client, user, pipeline):
    for _ in range(PAGE):
        add_agent(pipeline=pipeline, user=user)
    html = client.get(reverse("edit_history", args=[pipeline.pk])).text
    older = pipeline.history.all()[PAGE].version
    assert f"?until={older}" in html
    page = client.get(reverse("edit_history", args=[pipeline.pk]), {"until": older}).text
    assert "Newest edits" in page
    assert (
        client.get(reverse("edit_history", args=[pipeline.pk]), {"until": "x"}).status_code == 200
    )
