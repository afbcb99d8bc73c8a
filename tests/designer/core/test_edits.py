"""Edits, undo and redo."""

import pytest

from designer.core.edits import make_edit
from designer.core.undo import change_since, last_edit, redo_edit, undo_edit
from designer.definitions.patches import Patch
from designer.editor.actions import topology
from designer.models import Edit, Pipeline
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


def test_an_irreversible_edit_is_removed_from_the_history(client, who, grace):
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


def move_intake(pipeline, user, x):
    """Move the stage `intake`."""
    patch = Patch(positions={"intake": Position(x=x, y=1)})
    return make_edit(pipeline=pipeline, user=user, label="Move stage intake", patch=patch)


def test_an_edit_without_changes_is_not_recorded(who):
    assert move_intake(**who, x=1).made
    version = Pipeline.objects.get().version
    assert not move_intake(**who, x=1).made
    assert Pipeline.objects.get().version == version
    assert Edit.objects.count() == 1


def test_undo_and_redo_restore_the_values(who, pipeline):
    old = now(pipeline)
    move_intake(**who, x=1)
    new = now(pipeline)
    assert undo_edit(**who) is not None
    assert now(pipeline) == old
    assert redo_edit(**who) is not None
    assert now(pipeline) == new
    assert redo_edit(**who) is None


def test_the_changes_after_a_version_are_one_change(who, pipeline):
    version = Pipeline.objects.get().version
    move_intake(**who, x=1)
    move_intake(**who, x=2)
    change = change_since(**(who | {"pipeline": Pipeline.objects.get()}), version=version)
    assert change is not None
    assert list(change.after.positions) == ["intake"]
    assert change.before != change.after
    assert change.edition is None
