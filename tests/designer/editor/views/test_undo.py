"""Undo, redo and the list of steps."""

import pytest
from django.urls import reverse

from tests.designer.editor_requests import draw, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_undo_and_redo_without_a_step_are_refused(client, pipeline):
    assert send(client, pipeline, "undo").status_code == 409
    assert "nothing to redo" in send(client, pipeline, "redo").content.decode()


def test_all_edits_down_to_a_step_are_undone_and_announced(client, pipeline):
    before = now(pipeline)
    send(client, pipeline, "connect", source="review", target="intake")
    send(client, pipeline, "add_agent")
    html = client.get(reverse("steps", args=[pipeline.pk])).text
    first = pipeline.edits.order_by("pk").first()
    assert "Connect review → intake" in html
    assert f'value="{first.pk}"' in html
    response = send(client, pipeline, "undo", down_to=first.pk)
    assert "Undone: 2 steps" in response.text
    assert now(pipeline) == before
    assert send(client, pipeline, "undo", down_to="no number").status_code != 200
