"""Automatic layout of the stages."""

import pytest

from tests.designer.editor_requests import draw, moves, now, send, swapped

pytestmark = pytest.mark.django_db


def test_tidy_moves_the_named_stages_and_redraws_only_these(client, user):
    pipeline = draw(user, "intake", "review", "resolution")
    send(client, pipeline, "move_stages", moves=moves(review=(65, 255)))
    before = now(pipeline).layout.stages
    response = send(client, pipeline, "tidy", stages='["review"]')
    assert response.status_code == 200
    after = now(pipeline).layout.stages
    assert after["review"] != before["review"]
    assert after["intake"] == before["intake"]
    assert "stage-intake" not in swapped(response)


def test_a_list_that_is_not_json_is_refused(client, user):
    pipeline = draw(user, "intake")
    assert send(client, pipeline, "tidy", stages="[").status_code == 422
