"""Actions on stages and transitions, and their undoing."""

import pytest

from designer.core.edits import GoneError, RefusedError, StaleEditError, last_edit, undo_edit
from designer.editor.actions import stages, topology
from designer.editor.actions.renames import with_phase
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    Comparison,
    Conditions,
    Cue,
    CueHandoff,
    Group,
    Position,
    Rule,
    Stage,
    Transition,
)
from tests.designer.edit_actions import label, values
from tests.designer.editor_requests import chain, draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


# Stages


def test_the_first_stage_becomes_the_entry(user):
    pipeline = draw(user)
    topology.add_stage(pipeline=pipeline, user=user)
    assert now(pipeline).entry == "stage-1"


def test_a_new_stage_has_a_free_phase_and_no_agent_yet(who, pipeline):
    topology.add_stage(**who, at=Position(x=5, y=6))
    topology.add_stage(**who)
    definition = now(pipeline)
    assert definition.stages_by_phase["stage-1"] == Stage(phase="stage-1")
    assert definition.layout.stages["stage-1"] == Position(x=5, y=6)
    assert "stage-2" in definition.stages_by_phase
    assert definition.entry == "intake"


def test_a_stage_drawn_from_another_is_connected(who, pipeline):
    topology.add_stage(**who, source="resolution")
    topology.add_stage(**who, source="intake")
    ways = {(way.source, way.target): way.kind for way in now(pipeline).transitions}
    assert ways["resolution", "stage-1"] == "next"
    assert ways["intake", "stage-2"] == "return"


def test_a_stage_without_a_place_stands_right_of_all_others(who, pipeline):
    topology.add_stage(**who)
    places = now(pipeline).layout.stages
    assert places["stage-1"] == Position(x=places["resolution"].x + topology.STEP_RIGHT, y=250)


def test_a_human_stage_has_no_agent(who, pipeline):
    topology.add_stage(**who, kind="human", agent_id="agent-review")
    assert now(pipeline).stages_by_phase["stage-1"] == Stage(phase="stage-1", kind="human")


def test_a_stage_from_a_stage_or_agent_that_is_gone_is_not_added(who, pipeline):
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        topology.add_stage(**who, source="nowhere")
    with pytest.raises(GoneError, match="no agent “nobody”"):
        topology.add_stage(**who, agent_id="nobody")
    assert len(now(pipeline).stages) == 3


def test_stages_move_in_one_edit(who, pipeline):
    to = {"intake": Position(x=1, y=2), "review": Position(x=3.5, y=4), "gone": Position(x=0, y=0)}
    topology.move_stages(**who, to=to)
    places = now(pipeline).layout.stages
    assert (places["intake"], places["review"]) == (to["intake"], to["review"])
    assert label(who) == "Move 2 stages"


def test_moving_only_stages_that_are_gone_says_so(who):
    with pytest.raises(GoneError):
        topology.move_stages(**who, to={"gone": Position(x=0, y=0)})


def test_a_rename_reaches_everything_that_names_the_stage(user):
    definition = chain("intake", "review")
    cue = Cue(say="Hi", in_phase="intake", hand_over=CueHandoff(target="agent-x", phase="intake"))
    hands_back = definition.agents[1].model_copy(update={"cues": (cue,)})
    rows = (
        Comparison(field="state.phase", operator="one_of", value=("intake", "other")),
        Comparison(field="state.phase", operator="is_not", value="intake"),
        Comparison(field="state.phase", operator="starts_with", value="intake"),
        Comparison(field="event.intent", value="intake"),
        Comparison(field="state.handoff_count", value=1),
    )
    conditions = Conditions(phases=("intake", "other"), rows=rows)
    rule = Rule(id="r", agent_id="agent-review", conditions=conditions)
    definition = definition.model_copy(
        update={"agents": (definition.agents[0], hands_back), "rules": (rule,)}
    )
    pipeline = import_definition(user=user, definition=definition)
    changed = values(definition, "intake", phase="triage")
    stages.update_stage(pipeline=pipeline, user=user, phase="intake", values=changed)

    found = now(pipeline)
    assert found.entry == "triage"
    assert found.transitions == (Transition(source="triage", target="review"),)
    assert found.layout.stages.keys() == {"triage", "review"}
    assert found.rules[0].conditions.phases == ("other", "triage")
    compared = [row.value for row in found.rules[0].conditions.rows]
    assert compared == [("other", "triage"), "triage", "intake", "intake", 1]
    renamed = found.agents_by_id["agent-review"].cues[0]
    assert (renamed.in_phase, renamed.hand_over and renamed.hand_over.phase) == ("triage", "triage")
    edit = last_edit(pipeline=pipeline, user=user)
    assert edit
    assert edit.label == "Rename stage intake → triage"
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == definition


def test_a_stage_that_stands_for_who_serves_it_is_renamed_there_too(user):
    definition = chain("intake", "panel")
    group = Stage(phase="panel", kind="group", group=Group(agents=("agent-intake",)))
    asks = Comparison(field="state.active_agent_id", value="panel")
    cue = Cue(after_handoff_from="panel", hand_over=CueHandoff(target="panel"))
    agent = definition.agents_by_id["agent-intake"].model_copy(update={"cues": (cue,)})
    rule = Rule(id="r", agent_id="agent-intake", conditions=Conditions(rows=(asks,)))
    stages_of = (definition.stages_by_phase["intake"], group)
    grouped = definition.model_copy(
        update={"stages": stages_of, "agents": (agent,), "rules": (rule,)}
    )

    renamed = with_phase(grouped, "panel", "board")
    assert renamed.agents[0].cues == (
        Cue(after_handoff_from="board", hand_over=CueHandoff(target="board")),
    )
    assert renamed.rules[0].conditions.rows[0].value == "board"

    namesake = grouped.model_copy(update={"aliases": {"panel": "agent-intake"}})
    assert with_phase(namesake, "panel", "board").agents == (agent,)
    assert with_phase(namesake, "panel", "board").rules == (rule,)


def test_a_phase_that_exists_is_refused_beside_its_field(who, pipeline):
    changed = values(now(pipeline), "intake", phase="review")
    with pytest.raises(RefusedError, match="There is a stage “review” already") as refused:
        stages.update_stage(**who, phase="intake", values=changed)
    assert refused.value.field == "phase"


def test_naming_an_agent_makes_it_and_gives_it_the_stage(who, pipeline):
    changed = values(now(pipeline), "intake", new_agent="Tech support")
    stages.update_stage(**who, phase="intake", values=changed)
    definition = now(pipeline)
    assert definition.agents_by_id["agent-tech-support"].name == "Tech support"
    assert definition.stages_by_phase["intake"].agent_id == "agent-tech-support"
    assert "agent-tech-support" in definition.layout.hues


def test_an_agent_of_the_same_name_gets_an_id_of_its_own(who, pipeline):
    changed = values(now(pipeline), "intake", new_agent="Review")
    stages.update_stage(**who, phase="intake", values=changed)
    assert now(pipeline).stages_by_phase["intake"].agent_id == "agent-review-1"


def test_the_ways_chosen_in_the_form_replace_the_old_ones_and_keep_their_words(who, pipeline):
    topology.update_transition(**who, key="review>resolution", kind="next", description="Approved")
    changed = values(now(pipeline), "review", next_phase="intake", returns=("resolution",))
    stages.update_stage(**who, phase="review", values=changed)
    assert now(pipeline).transitions_from["review"] == (
        Transition(source="review", target="intake"),
        Transition(source="review", target="resolution", kind="return", description="Approved"),
    )


def test_what_a_form_chooses_may_be_gone(who, pipeline):
    definition = now(pipeline)
    for field, changes in (
        ("agent_id", {"agent_id": "agent-gone"}),
        ("next_phase", {"next_phase": "gone"}),
        ("returns", {"returns": ("gone",)}),
    ):
        changed = values(definition, "intake", **changes)
        with pytest.raises(RefusedError) as refused:
            stages.update_stage(**who, phase="intake", values=changed)
        assert refused.value.field == field
    with pytest.raises(GoneError):
        stages.update_stage(**who, phase="gone", values=values(definition, "intake"))


def test_deleting_a_stage_takes_its_transitions_and_the_entry_and_undo_brings_all_back(
    who, pipeline
):
    before = now(pipeline)
    topology.delete_parts(**who, phases=["intake", "review"])
    after = now(pipeline)
    assert [stage.phase for stage in after.stages] == ["resolution"]
    assert after.transitions == ()
    assert after.entry is None
    assert label(who) == "Delete 2 stages"
    undo_edit(**who)
    assert now(pipeline) == before


def test_what_is_left_of_a_selection_is_deleted(who, pipeline):
    topology.delete_parts(**who, phases=["gone"], transitions=["intake>review"])
    assert len(now(pipeline).transitions) == 1
    with pytest.raises(GoneError):
        topology.delete_parts(**who, phases=["gone"])


# Transitions


def test_the_first_transition_of_a_stage_is_next_and_others_are_returns(who, pipeline):
    topology.connect(**who, source="review", target="intake")
    topology.delete_parts(**who, transitions=["review>resolution"])
    topology.connect(**who, source="resolution", target="intake")
    topology.connect(**who, source="resolution", target="review")
    ways = {(way.source, way.target): way.kind for way in now(pipeline).transitions}
    assert ways["review", "intake"] == "return"
    assert ways["resolution", "intake"] == "next"
    assert ways["resolution", "review"] == "return"
    assert label(who) == "Connect resolution → review"


@pytest.mark.parametrize(
    ("passes_on", "kind"), [("pipeline", "return"), ("swarm", "return"), ("workflow", "next")]
)
@pytest.mark.parametrize("target", ["intake", "review", "resolution"])
def test_what_leads_back_is_a_return_where_that_is_taken(user, passes_on, kind, target):
    """Contract O-11: a stage may lead to itself."""
    pipeline = draw(user, "intake", "review", "resolution", topology=passes_on)
    topology.connect(pipeline=pipeline, user=user, source="resolution", target=target)
    (way,) = now(pipeline).transitions_from["resolution"]
    assert (way.target, way.kind) == (target, kind)


def test_the_same_pair_twice_is_a_sentence(who):
    with pytest.raises(RefusedError, match="“intake” already leads to “review”"):
        topology.connect(**who, source="intake", target="review")


def test_ends_that_are_gone_are_a_sentence(who):
    for source, target in (("gone", "intake"), ("intake", "gone")):
        with pytest.raises(GoneError, match="no stage “gone”"):
            topology.connect(**who, source=source, target=target)


def test_a_transition_made_next_turns_the_old_next_into_a_return(who, pipeline):
    topology.connect(**who, source="review", target="intake")
    topology.update_transition(**who, key="review>intake", kind="next", description="")
    ways = {way.target: way.kind for way in now(pipeline).transitions_from["review"]}
    assert ways == {"intake": "next", "resolution": "return"}
    undo_edit(**who)
    ways = {way.target: way.kind for way in now(pipeline).transitions_from["review"]}
    assert ways == {"intake": "return", "resolution": "next"}


def test_a_transition_that_is_gone_cannot_be_changed(who):
    with pytest.raises(GoneError, match="does not lead to"):
        topology.update_transition(**who, key="intake>intake", kind="next", description="")


# Others


def test_undo_is_per_person_and_refuses_what_someone_else_has_changed_since(
    who, pipeline, user, other_user
):
    topology.move_stages(**who, to={"intake": Position(x=1, y=1)})
    assert last_edit(pipeline=pipeline, user=other_user) is None
    to = {"intake": Position(x=2, y=2)}
    topology.move_stages(pipeline=pipeline, user=other_user, to=to)
    with pytest.raises(StaleEditError, match="grace has changed the same"):
        undo_edit(**who)
    undo_edit(pipeline=pipeline, user=other_user)
    assert now(pipeline).layout.stages["intake"] == Position(x=1, y=1)
