"""Tidying through the views."""

import json

import pytest

from designer.core.undo import undo_edit
from designer.editor.actions.tidy import tidy
from orchestration.definition import Layout, Position
from tests.designer.editor_requests import ALWAYS, draw, now, send, swapped

pytestmark = pytest.mark.django_db

HEAP = Layout(stages={phase: Position(x=5, y=5) for phase in ("intake", "review", "done")})


@pytest.fixture
def pipeline(user):
    """Return a pipeline of three stages at the same position."""
    pipeline = draw(user, "intake", "review", "done")
    for stage in pipeline.stages.all():
        stage.x, stage.y = 5, 5
        stage.save()
    return pipeline


def test_all_stages_are_tidied_as_one_edit_that_can_be_undone(client, pipeline, user):
    response = send(client, pipeline, "tidy")
    assert response.status_code == 200
    assert swapped(response) == ALWAYS | {"stage-intake", "stage-review", "stage-done"} - {
        f"stage-{phase}"
        for phase, at in now(pipeline).layout.stages.items()
        if at == HEAP.stages[phase]
    }
    columns = [now(pipeline).layout.stages[phase].x for phase in ("intake", "review", "done")]
    assert columns == sorted(set(columns))
    change = undo_edit(pipeline=pipeline, user=user)
    assert change is not None
    assert change.label == "Tidy 3 stages"
    assert now(pipeline).layout.stages == HEAP.stages


def test_tidy_stages_need_no_edit(client, pipeline, user):
    tidy(pipeline=pipeline, user=user)
    version = now(pipeline)
    assert send(client, pipeline, "tidy").status_code == 200
    assert now(pipeline) == version
    assert pipeline.edits.count() == 1


def test_only_the_selected_stages_are_tidied(client, pipeline):
    send(client, pipeline, "tidy", stages=json.dumps(["review", "done"]))
    places = now(pipeline).layout.stages
    assert places["intake"] == HEAP.stages["intake"]
    assert places["review"].x < places["done"].x


def test_missing_stages_are_reported(client, pipeline):
    response = send(client, pipeline, "tidy", stages='["nowhere"]')
    assert response.status_code == 409
    assert "no longer exist" in response.content.decode()


def test_an_invalid_list_of_stages_is_refused(client, pipeline):
    assert send(client, pipeline, "tidy", stages="{").status_code == 422
    assert send(client, pipeline, "tidy", stages=json.dumps(["s"] * 2001)).status_code == 422
