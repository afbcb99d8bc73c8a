"""Undo and redo of the edits that combine several changes."""

import pytest

from designer.core.undo import redo_edit, undo_edit
from designer.editor.actions import topology
from designer.editor.actions.bypass_stages import delete_and_reconnect
from designer.editor.actions.insert_in_transition import insert_existing_stage
from designer.editor.actions.insert_stage import NewStage, insert_stage
from designer.editor.actions.reconnect import reconnect_transition
from orchestration.definition import (
    Position,
)
from tests.designer.edit_actions import fill_transition
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


HERE = Position(x=40, y=50)


@pytest.mark.parametrize(
    "gesture",
    [
        lambda actor: insert_existing_stage(
            **actor, phase="stage-1", source="intake", target="review", at=HERE
        ),
        lambda actor: insert_stage(
            **actor,
            source="intake",
            target="review",
            new_stage=NewStage(at=HERE, new_agent="Billing"),
        ),
        lambda actor: reconnect_transition(
            **actor, key="intake>review", end="target", phase="stage-1"
        ),
        lambda actor: reconnect_transition(
            **actor, key="intake>review", end="source", phase="resolution"
        ),
        lambda actor: delete_and_reconnect(**actor, phases=["intake", "review"]),
    ],
)
def test_each_action_is_one_edit_that_can_be_undone_and_redone(actor, pipeline, gesture):
    topology.add_stage(**actor)
    fill_transition(actor, "intake>review")
    before = now(pipeline)
    gesture(actor)
    after = now(pipeline)
    assert after != before
    undo_edit(**actor)
    assert now(pipeline) == before
    redo_edit(**actor)
    assert now(pipeline) == after
