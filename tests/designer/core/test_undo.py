"""Undo of several steps at once."""

import pytest
from django.urls import reverse

from designer.core.edit_errors import GoneError
from designer.core.undo import (
    MAX_STEPS,
    last_edit,
    last_steps,
    redo_edit,
    undo_down_to,
    undo_edit,
)
from designer.editor.actions.topology import add_stage, connect, move_stages
from designer.models import Edit
from orchestration.definition import Position
from tests.designer.editor_requests import HTMX, draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


@pytest.fixture
def steps(who):
    """Three steps of the user, newest first."""
    add_stage(**who, kind="human")
    connect(**who, source="resolution", target="stage-1")
    move_stages(**who, to={"intake": Position(x=1, y=2)})
    return last_steps(**who)


def test_the_last_steps_are_listed_with_their_labels(client, pipeline, steps):
    html = client.get(reverse("steps", args=[pipeline.pk]), headers=HTMX).text
    places = [html.index(f">{step.label}</button>") for step in steps]
    assert places == sorted(places)
    assert [step.label for step in steps] == [
        "Move stage intake",
        "Connect resolution → stage-1",
        "Add stage stage-1",
    ]


def test_the_number_of_listed_steps_is_limited(who):
    for n in range(MAX_STEPS + 3):
        move_stages(**who, to={"intake": Position(x=n, y=2)})
    assert len(last_steps(**who)) == MAX_STEPS


def test_undo_down_to_a_step_is_one_response(client, pipeline, who, steps):
    before = now(pipeline)
    response = send(client, pipeline, "undo", down_to=steps[1].pk)
    assert response.status_code == 200
    assert {"stage-intake", "-edge-resolution--stage-1"} <= swapped(response)
    assert "stages" not in swapped(response), "what they did not touch is left alone"
    assert now(pipeline).layout.stages["intake"] == Position(x=60, y=250)
    assert last_edit(**who) == steps[2]
    redo_edit(**who)
    redo_edit(**who)
    assert now(pipeline) == before, "each is a step of its own again"


def test_a_page_with_missed_edits_reloads(client, pipeline, steps):
    response = send(client, pipeline, "undo", down_to=steps[1].pk, version=1)
    assert response.status_code == 200
    assert {"stages", "edges"} <= swapped(response)


@pytest.mark.parametrize("down_to", ["", "0", "x", "999999"])
def test_a_missing_step_is_rejected(client, pipeline, steps, down_to):
    before = now(pipeline)
    assert send(client, pipeline, "undo", down_to=down_to).status_code == 409
    assert now(pipeline) == before


def test_a_step_is_undone_once(who, steps):
    undo_down_to(**who, edit_id=steps[1].pk)
    with pytest.raises(GoneError, match="no longer in your undo history"):
        undo_down_to(**who, edit_id=steps[1].pk)


def test_undo_stops_at_a_step_that_others_have_changed(client, pipeline, who, other_user, steps):
    move_stages(pipeline=pipeline, user=other_user, to={"stage-1": Position(x=7, y=7)})
    response = send(client, pipeline, "undo", down_to=steps[2].pk)
    assert response.status_code == 412
    assert "cannot be undone" in response.text
    assert "The 2 steps after it are undone." in response.text
    assert now(pipeline).layout.stages["intake"] == Position(x=60, y=250)
    assert not Edit.objects.filter(user=who["user"], undone=False).exists()


def test_only_the_given_edit_is_undone(who, steps):
    assert undo_edit(**who, edit_id=steps[1].pk) is None
    assert last_steps(**who) == steps
    assert undo_edit(**who, edit_id=steps[0].pk) is not None
    assert last_steps(**who) == steps[1:]
