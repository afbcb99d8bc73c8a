"""Actions on stages and transitions, and their undo."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError, StaleEditError
from designer.core.undo import last_edit, undo_edit
from designer.editor.actions import topology
from orchestration.definition import (
    Position,
    Stage,
)
from tests.designer.edit_actions import label
from tests.designer.editor_requests import draw, now

pytestmark = pytest.mark.django_db


def test_the_first_stage_becomes_the_entry(user):
    pipeline = draw(user)
    topology.add_stage(pipeline=pipeline, user=user)
    assert now(pipeline).entry == "stage-1"


def test_a_new_stage_has_a_free_phase_and_no_agent_yet(actor, pipeline):
    topology.add_stage(**actor, at=Position(x=5, y=6))
    topology.add_stage(**actor)
    definition = now(pipeline)
    assert definition.stages_by_phase["stage-1"] == Stage(phase="stage-1")
    assert definition.layout.stages["stage-1"] == Position(x=5, y=6)
    assert "stage-2" in definition.stages_by_phase
    assert definition.entry == "intake"


def test_a_stage_added_from_another_is_connected(actor, pipeline):
    topology.add_stage(**actor, source="resolution")
    topology.add_stage(**actor, source="intake")
    kinds = {(t.source, t.target): t.kind for t in now(pipeline).transitions}
    assert kinds["resolution", "stage-1"] == "next"
    assert kinds["intake", "stage-2"] == "return"


def test_a_stage_without_a_position_is_placed_right_of_all_others(actor, pipeline):
    topology.add_stage(**actor)
    positions = now(pipeline).layout.stages
    assert positions["stage-1"] == Position(
        x=positions["resolution"].x + topology.STEP_RIGHT, y=250
    )


def test_a_human_stage_has_no_agent(actor, pipeline):
    topology.add_stage(**actor, kind="human", agent_id="agent-review")
    assert now(pipeline).stages_by_phase["stage-1"] == Stage(phase="stage-1", kind="human")


def test_a_stage_with_a_missing_source_or_agent_is_not_added(actor, pipeline):
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        topology.add_stage(**actor, source="nowhere")
    with pytest.raises(GoneError, match="no agent “nobody”"):
        topology.add_stage(**actor, agent_id="nobody")
    assert len(now(pipeline).stages) == 3


def test_stages_move_in_one_edit(actor, pipeline):
    to = {"intake": Position(x=1, y=2), "review": Position(x=3.5, y=4), "gone": Position(x=0, y=0)}
    topology.move_stages(**actor, to=to)
    positions = now(pipeline).layout.stages
    assert (positions["intake"], positions["review"]) == (to["intake"], to["review"])
    assert label(actor) == "Move 2 stages"


def test_moving_only_missing_stages_is_refused(actor):
    with pytest.raises(GoneError):
        topology.move_stages(**actor, to={"gone": Position(x=0, y=0)})


def test_a_stage_is_deleted_with_its_transitions_and_entry_mark_until_undo(actor, pipeline):
    before = now(pipeline)
    topology.delete_parts(**actor, phases=["intake", "review"])
    after = now(pipeline)
    assert [stage.phase for stage in after.stages] == ["resolution"]
    assert after.transitions == ()
    assert after.entry is None
    assert label(actor) == "Delete 2 stages"
    undo_edit(**actor)
    assert now(pipeline) == before


def test_the_existing_parts_of_a_selection_are_deleted(actor, pipeline):
    topology.delete_parts(**actor, phases=["gone"], transitions=["intake>review"])
    assert len(now(pipeline).transitions) == 1
    with pytest.raises(GoneError):
        topology.delete_parts(**actor, phases=["gone"])


def test_the_first_transition_of_a_stage_is_next_and_others_are_returns(actor, pipeline):
    topology.connect(**actor, source="review", target="intake")
    topology.delete_parts(**actor, transitions=["review>resolution"])
    topology.connect(**actor, source="resolution", target="intake")
    topology.connect(**actor, source="resolution", target="review")
    kinds = {(t.source, t.target): t.kind for t in now(pipeline).transitions}
    assert kinds["review", "intake"] == "return"
    assert kinds["resolution", "intake"] == "next"
    assert kinds["resolution", "review"] == "return"
    assert label(actor) == "Connect resolution → review"


@pytest.mark.parametrize(
    ("passes_on", "kind"), [("pipeline", "return"), ("swarm", "return"), ("workflow", "next")]
)
@pytest.mark.parametrize("target", ["intake", "review", "resolution"])
def test_a_transition_that_leads_back_is_a_return_if_returns_are_taken(
    user, passes_on, kind, target
):
    """Contract O-11: a stage may lead to itself."""
    pipeline = draw(user, "intake", "review", "resolution", topology=passes_on)
    topology.connect(pipeline=pipeline, user=user, source="resolution", target=target)
    (transition,) = now(pipeline).transitions_from["resolution"]
    assert (transition.target, transition.kind) == (target, kind)


def test_a_second_transition_between_two_stages_is_refused(actor):
    with pytest.raises(RefusedError, match="“intake” already leads to “review”"):
        topology.connect(**actor, source="intake", target="review")


def test_a_transition_with_a_missing_end_is_refused(actor):
    for source, target in (("gone", "intake"), ("intake", "gone")):
        with pytest.raises(GoneError, match="no stage “gone”"):
            topology.connect(**actor, source=source, target=target)


def test_a_new_next_turns_the_old_next_into_a_return(actor, pipeline):
    topology.connect(**actor, source="review", target="intake")
    topology.update_transition(**actor, key="review>intake", kind="next", description="")
    kinds = {t.target: t.kind for t in now(pipeline).transitions_from["review"]}
    assert kinds == {"intake": "next", "resolution": "return"}
    undo_edit(**actor)
    kinds = {t.target: t.kind for t in now(pipeline).transitions_from["review"]}
    assert kinds == {"intake": "return", "resolution": "next"}


def test_a_missing_transition_cannot_be_changed(actor):
    with pytest.raises(GoneError, match="does not lead to"):
        topology.update_transition(**actor, key="intake>intake", kind="next", description="")


def test_undo_is_per_person_and_refused_after_a_change_by_another_person(
    actor, pipeline, user, other_user
):
    topology.move_stages(**actor, to={"intake": Position(x=1, y=1)})
    assert last_edit(pipeline=pipeline, user=other_user) is None
    to = {"intake": Position(x=2, y=2)}
    topology.move_stages(pipeline=pipeline, user=other_user, to=to)
    with pytest.raises(StaleEditError, match="grace has changed the same"):
        undo_edit(**actor)
    undo_edit(pipeline=pipeline, user=other_user)
    assert now(pipeline).layout.stages["intake"] == Position(x=1, y=1)
