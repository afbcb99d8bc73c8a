"""Creation of stages at a point of the canvas."""

import pytest

from designer.core.edit_errors import GoneError
from designer.core.undo import undo_edit
from designer.editor.actions import topology
from designer.editor.actions.insert_stage import NewStage, create_stage, insert_stage
from designer.pipelines.actions import create_pipeline
from orchestration.definition import (
    Position,
    Stage,
    Transition,
)
from tests.designer.edit_actions import fill_transition, label
from tests.designer.editor_requests import kinds, now, transitions_of

pytestmark = pytest.mark.django_db


HERE = Position(x=40, y=50)


def test_a_new_stage_is_created_connected_and_placed_in_one_edit(actor, pipeline):
    before = now(pipeline)
    create_stage(**actor, source="resolution", new_stage=NewStage(at=HERE))
    assert now(pipeline).layout.stages["stage-1"] == HERE
    assert kinds(pipeline)["resolution>stage-1"] == "next"
    assert label(actor) == "Add stage stage-1 after resolution"
    undo_edit(**actor)
    assert now(pipeline) == before


def test_a_new_stage_gets_an_existing_or_a_new_agent(actor, pipeline):
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, agent_id="agent-review"))
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, new_agent="Billing"))
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, new_agent=""))
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, kind="human"))
    definition = now(pipeline)
    stages = definition.stages_by_phase
    assert stages["review-2"].agent_id == "agent-review", "named after it; there is a review"
    assert stages["billing"].agent_id == "agent-billing"
    assert definition.agents_by_id["agent-billing"].name == "Billing"
    assert "agent-billing" in definition.layout.hues
    assert definition.agents_by_id[stages["stage-1"].agent_id or ""].name == "Agent 1"
    assert stages["stage-2"] == Stage(phase="stage-2", kind="human")
    assert kinds(pipeline)["intake>review-2"] == "return", "intake has its next already"


def test_the_first_stage_becomes_the_entry_and_gets_its_agent(user):
    actor = {"pipeline": create_pipeline(user=user, name="Desk"), "user": user}
    create_stage(**actor, new_stage=NewStage(at=HERE, new_agent="Refunds"))
    definition = now(actor["pipeline"])
    assert definition.entry == "refunds"
    assert definition.stages_by_phase["refunds"].agent_id == "agent-refunds"
    assert label(actor) == "Add stage refunds"
    create_stage(**actor, new_stage=NewStage(at=HERE, kind="human"))
    assert (now(actor["pipeline"]).entry, kinds(actor["pipeline"])) == ("refunds", {})


def test_undo_removes_a_new_stage_together_with_its_new_agent(actor, pipeline):
    before = now(pipeline)
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, new_agent="Billing"))
    undo_edit(**actor)
    assert now(pipeline) == before


def test_a_missing_source_agent_or_transition_is_refused(actor, pipeline):
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        create_stage(**actor, source="nowhere", new_stage=NewStage(at=HERE))
    with pytest.raises(GoneError, match="no agent “nobody”"):
        create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, agent_id="nobody"))
    with pytest.raises(GoneError, match="“intake” does not lead to “resolution” any more"):
        insert_stage(
            **actor,
            source="intake",
            target="resolution",
            new_stage=NewStage(at=HERE, new_agent="X"),
        )
    assert len(now(pipeline).stages) == len(now(pipeline).agents) == 3


def test_a_split_transition_keeps_its_description_first_and_its_payload_second(actor, pipeline):
    fill_transition(actor, "intake>review")
    was = transitions_of(pipeline)["intake", "review"]
    insert_stage(**actor, source="intake", target="review", new_stage=NewStage(at=HERE))
    first, second = (
        transitions_of(pipeline)["intake", "stage-1"],
        transitions_of(pipeline)["stage-1", "review"],
    )
    assert first == Transition(
        source="intake", target="stage-1", kind="next", description=was.description
    )
    assert second == was.model_copy(update={"source": "stage-1", "description": ""})


def test_a_stage_inserted_into_a_return_gets_a_return_and_a_next(actor, pipeline):
    topology.connect(**actor, source="resolution", target="intake")
    topology.connect(**actor, source="resolution", target="review")
    insert_stage(**actor, source="resolution", target="review", new_stage=NewStage(at=HERE))
    assert kinds(pipeline)["resolution>stage-1"] == "return"
    assert kinds(pipeline)["stage-1>review"] == "next"
