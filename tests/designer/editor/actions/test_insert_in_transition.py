"""Insertion of existing stages into transitions."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError
from designer.editor.actions import topology
from designer.editor.actions.insert_in_transition import insert_existing_stage
from orchestration.definition import (
    Position,
)
from tests.designer.edit_actions import label
from tests.designer.editor_requests import kinds, now

pytestmark = pytest.mark.django_db


HERE = Position(x=40, y=50)


def test_an_inserted_stage_is_between_the_two_stages(actor, pipeline):
    topology.add_stage(**actor)
    insert_existing_stage(**actor, phase="stage-1", source="intake", target="review", at=HERE)
    assert kinds(pipeline) == {
        "intake>stage-1": "next",
        "stage-1>review": "next",
        "review>resolution": "next",
    }
    assert now(pipeline).layout.stages["stage-1"] == HERE
    assert label(actor) == "Insert stage-1 between intake and review"


def test_an_inserted_stage_keeps_its_next_and_existing_transitions(actor, pipeline):
    topology.add_stage(**actor, source="intake")
    topology.connect(**actor, source="stage-1", target="resolution")
    assert kinds(pipeline)["intake>stage-1"] == "return"
    insert_existing_stage(**actor, phase="stage-1", source="intake", target="review")
    assert kinds(pipeline) == {
        "intake>stage-1": "next",
        "stage-1>resolution": "next",
        "stage-1>review": "return",
        "review>resolution": "next",
    }


def test_an_end_of_the_transition_and_missing_parts_are_refused(actor, pipeline):
    with pytest.raises(RefusedError, match="“review” is an end of this transition already"):
        insert_existing_stage(**actor, phase="review", source="intake", target="review")
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        insert_existing_stage(**actor, phase="nowhere", source="intake", target="review")
    with pytest.raises(GoneError, match="does not lead to"):
        insert_existing_stage(**actor, phase="review", source="intake", target="resolution")
