"""Moves of one end of a transition to another stage."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError
from designer.editor.actions import topology
from designer.editor.actions.reconnect import reconnect_transition
from tests.designer.edit_actions import fill_transition, label
from tests.designer.editor_requests import kinds, now, transitions_of

pytestmark = pytest.mark.django_db


def test_a_moved_transition_keeps_its_other_fields(actor, pipeline):
    fill_transition(actor, "review>resolution")
    was = transitions_of(pipeline)["review", "resolution"]
    reconnect_transition(**actor, key="review>resolution", end="target", phase="intake")
    assert label(actor) == "Move review → resolution to intake"
    assert transitions_of(pipeline)["review", "intake"] == was.model_copy(
        update={"target": "intake"}
    )
    reconnect_transition(**actor, key="review>intake", end="source", phase="resolution")
    assert label(actor) == "Move review → intake to begin at resolution"
    moved = {"source": "resolution", "target": "intake"}
    assert transitions_of(pipeline)["resolution", "intake"] == was.model_copy(update=moved)
    assert len(transitions_of(pipeline)) == 2


def test_a_next_that_moves_to_a_source_with_a_next_becomes_a_return(actor, pipeline):
    topology.connect(**actor, source="resolution", target="intake")
    reconnect_transition(**actor, key="resolution>intake", end="source", phase="review")
    assert kinds(pipeline)["review>intake"] == "return"
    assert kinds(pipeline)["review>resolution"] == "next"


def test_a_missing_stage_and_a_duplicate_transition_are_refused(actor, pipeline):
    topology.connect(**actor, source="intake", target="resolution")
    before = now(pipeline)
    with pytest.raises(RefusedError, match="“intake” already leads to “resolution”"):
        reconnect_transition(**actor, key="intake>review", end="target", phase="resolution")
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        reconnect_transition(**actor, key="intake>review", end="target", phase="nowhere")
    with pytest.raises(GoneError, match="“review” does not lead to “intake” any more"):
        reconnect_transition(**actor, key="review>intake", end="target", phase="resolution")
    assert not reconnect_transition(**actor, key="intake>review", end="target", phase="review").made
    assert now(pipeline) == before
