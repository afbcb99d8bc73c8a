"""Changes to one stage."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError
from designer.editor.actions import stages, topology
from designer.editor.actions.insert_stage import NewStage, create_stage
from designer.editor.actions.stages import serve_stage
from orchestration.definition import (
    Group,
    Position,
    Transition,
)
from tests.designer.edit_actions import label, values
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


HERE = Position(x=40, y=50)


def test_an_agent_is_assigned_to_a_stage(actor, pipeline):
    serve_stage(**actor, phase="review", agent_id="agent-intake")
    assert now(pipeline).stages_by_phase["review"].agent_id == "agent-intake"
    assert label(actor) == "Let Intake serve review"
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, kind="human"))
    serve_stage(**actor, phase="stage-1", agent_id="agent-review")
    stage = now(pipeline).stages_by_phase["stage-1"]
    assert (stage.kind, stage.agent_id) == ("agent", "agent-review")


def test_an_agent_is_added_to_a_group(actor, pipeline):
    create_stage(**actor, source="intake", new_stage=NewStage(at=HERE, kind="group"))
    for agent in ("agent-review", "agent-intake", "agent-review"):
        serve_stage(**actor, phase="stage-1", agent_id=agent)
    stage = now(pipeline).stages_by_phase["stage-1"]
    assert stage.group == Group(agents=("agent-review", "agent-intake"))


def test_a_missing_stage_or_agent_cannot_be_assigned(actor):
    with pytest.raises(GoneError, match="no stage “attic”"):
        serve_stage(**actor, phase="attic", agent_id="agent-review")
    with pytest.raises(GoneError, match="no agent “nobody”"):
        serve_stage(**actor, phase="review", agent_id="nobody")


def test_an_existing_phase_is_refused_beside_its_field(actor, pipeline):
    changed = values(now(pipeline), "intake", phase="review")
    with pytest.raises(RefusedError, match="There is a stage “review” already") as refused:
        stages.update_stage(**actor, phase="intake", values=changed)
    assert refused.value.field == "phase"


def test_a_new_agent_is_created_and_assigned_to_the_stage(actor, pipeline):
    changed = values(now(pipeline), "intake", new_agent="Tech support")
    stages.update_stage(**actor, phase="intake", values=changed)
    definition = now(pipeline)
    assert definition.agents_by_id["agent-tech-support"].name == "Tech support"
    assert definition.stages_by_phase["intake"].agent_id == "agent-tech-support"
    assert "agent-tech-support" in definition.layout.hues


def test_a_new_agent_with_an_existing_name_gets_another_id(actor, pipeline):
    changed = values(now(pipeline), "intake", new_agent="Review")
    stages.update_stage(**actor, phase="intake", values=changed)
    assert now(pipeline).stages_by_phase["intake"].agent_id == "agent-review-1"


def test_the_targets_of_the_form_replace_the_old_ones_and_keep_descriptions(actor, pipeline):
    topology.update_transition(
        **actor, key="review>resolution", kind="next", description="Approved"
    )
    changed = values(now(pipeline), "review", next_phase="intake", returns=("resolution",))
    stages.update_stage(**actor, phase="review", values=changed)
    assert now(pipeline).transitions_from["review"] == (
        Transition(source="review", target="intake"),
        Transition(source="review", target="resolution", kind="return", description="Approved"),
    )


def test_deleted_choices_are_refused_beside_their_fields(actor, pipeline):
    definition = now(pipeline)
    for field, changes in (
        ("agent_id", {"agent_id": "agent-gone"}),
        ("next_phase", {"next_phase": "gone"}),
        ("returns", {"returns": ("gone",)}),
    ):
        changed = values(definition, "intake", **changes)
        with pytest.raises(RefusedError) as refused:
            stages.update_stage(**actor, phase="intake", values=changed)
        assert refused.value.field == field
    with pytest.raises(GoneError):
        stages.update_stage(**actor, phase="gone", values=values(definition, "intake"))
