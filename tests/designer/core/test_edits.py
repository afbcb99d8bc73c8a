"""Edits, undo and redo."""

import pytest

from designer.core.edits import last_edit
from designer.editor.actions import topology
from designer.models import Edit
from orchestration.definition import Position
from tests.designer.editor_requests import draw, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


@pytest.fixture
def grace(pipeline, other_user):
    return {"pipeline": pipeline, "user": other_user}


def lead_there(who):
    topology.connect(**who, source="resolution", target="stage-1")


def test_what_cannot_be_undone_makes_way_for_what_was_done_before(client, who, grace):
    pipeline = who["pipeline"]
    topology.move_stages(**who, to={"review": Position(x=1, y=1)})
    topology.move_stages(**who, to={"intake": Position(x=1, y=1)})
    topology.move_stages(**grace, to={"intake": Position(x=2, y=2)})
    response = send(client, pipeline, "undo")
    assert response.status_code == 412
    assert "“Move stage intake” cannot be undone: grace has changed" in response.text
    assert 'title="Undo: Move stage review"' in response.text
    assert send(client, pipeline, "undo").status_code == 200
    places = now(pipeline).layout.stages
    assert (places["review"], places["intake"]) == (Position(x=350, y=250), Position(x=2, y=2))
    assert last_edit(**who) is None
    assert Edit.objects.filter(user=grace["user"], undone=False).count() == 1
