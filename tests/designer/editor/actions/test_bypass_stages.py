"""Hands that do several things as one edit: create and connect, splice, re-plug, bypass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.core.edits import GoneError, RefusedError, redo_edit, undo_edit
from designer.editor.actions import topology
from designer.editor.actions.bypass_stages import bypass, delete_and_reconnect
from designer.editor.actions.insert_in_transition import insert_existing_stage
from designer.editor.actions.insert_stage import NewStage, create_stage, insert_stage
from designer.editor.actions.reconnect import reconnect_transition
from designer.editor.actions.stages import serve_stage
from designer.pipelines.actions import create_pipeline, import_definition
from orchestration.definition import (
    Frame,
    Group,
    InputFilter,
    Layout,
    Note,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)
from tests.designer.edit_actions import label
from tests.designer.editor_requests import chain, draw, kinds, now, ways

pytestmark = pytest.mark.django_db

HERE = Position(x=40, y=50)


@pytest.fixture
def pipeline(user):
    """intake → review → resolution."""
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def describe(who, key, **parts):
    """Give a way all that a way can have."""
    topology.update_transition(
        **who,
        key=key,
        kind=parts.pop("kind", "next"),
        description="When the work is done",
        input_filter=InputFilter(keep="last", count=3),
    )
    schema = {"type": "object", "properties": {"sum": {"type": "number"}}}
    topology.update_payload(**who, key=key, schema=schema, tool_name="pass_on")


# Creating where an edge is dropped


def test_a_new_stage_is_created_connected_and_placed_in_one_edit(who, pipeline):
    before = now(pipeline)
    create_stage(**who, source="resolution", new_stage=NewStage(at=HERE))
    assert now(pipeline).layout.stages["stage-1"] == HERE
    assert kinds(pipeline)["resolution>stage-1"] == "next"
    assert label(who) == "Add stage stage-1 after resolution"
    undo_edit(**who)
    assert now(pipeline) == before


def test_a_new_stage_comes_with_an_agent_that_is_there_or_is_new(who, pipeline):
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, agent_id="agent-review"))
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, new_agent="Billing"))
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, new_agent=""))
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, kind="human"))
    definition = now(pipeline)
    stages = definition.stages_by_phase
    assert stages["review-2"].agent_id == "agent-review", "named after it; there is a review"
    assert stages["billing"].agent_id == "agent-billing"
    assert definition.agents_by_id["agent-billing"].name == "Billing"
    assert "agent-billing" in definition.layout.hues
    assert definition.agents_by_id[stages["stage-1"].agent_id or ""].name == "Agent 1"
    assert stages["stage-2"] == Stage(phase="stage-2", kind="human")
    assert kinds(pipeline)["intake>review-2"] == "return", "intake has its next already"


def test_the_first_stage_comes_with_its_agent_and_is_where_it_begins(user):
    who = {"pipeline": create_pipeline(user=user, name="Desk"), "user": user}
    create_stage(**who, new_stage=NewStage(at=HERE, new_agent="Refunds"))
    definition = now(who["pipeline"])
    assert definition.entry == "refunds"
    assert definition.stages_by_phase["refunds"].agent_id == "agent-refunds"
    assert label(who) == "Add stage refunds"
    create_stage(**who, new_stage=NewStage(at=HERE, kind="human"))
    assert (now(who["pipeline"]).entry, kinds(who["pipeline"])) == ("refunds", {})


def test_an_agent_serves_the_stage_that_it_is_given(who, pipeline):
    serve_stage(**who, phase="review", agent_id="agent-intake")
    assert now(pipeline).stages_by_phase["review"].agent_id == "agent-intake"
    assert label(who) == "Let Intake serve review"
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, kind="human"))
    serve_stage(**who, phase="stage-1", agent_id="agent-review")
    stage = now(pipeline).stages_by_phase["stage-1"]
    assert (stage.kind, stage.agent_id) == ("agent", "agent-review")


def test_a_group_gets_an_agent_as_one_more_member(who, pipeline):
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, kind="group"))
    for agent in ("agent-review", "agent-intake", "agent-review"):
        serve_stage(**who, phase="stage-1", agent_id=agent)
    stage = now(pipeline).stages_by_phase["stage-1"]
    assert stage.group == Group(agents=("agent-review", "agent-intake"))


def test_nobody_serves_what_is_gone(who):
    with pytest.raises(GoneError, match="no stage “attic”"):
        serve_stage(**who, phase="attic", agent_id="agent-review")
    with pytest.raises(GoneError, match="no agent “nobody”"):
        serve_stage(**who, phase="review", agent_id="nobody")


def test_a_new_agent_goes_with_its_stage_when_that_is_undone(who, pipeline):
    before = now(pipeline)
    create_stage(**who, source="intake", new_stage=NewStage(at=HERE, new_agent="Billing"))
    undo_edit(**who)
    assert now(pipeline) == before


def test_nothing_is_created_after_a_stage_or_with_an_agent_that_is_gone(who, pipeline):
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        create_stage(**who, source="nowhere", new_stage=NewStage(at=HERE))
    with pytest.raises(GoneError, match="no agent “nobody”"):
        create_stage(**who, source="intake", new_stage=NewStage(at=HERE, agent_id="nobody"))
    with pytest.raises(GoneError, match="“intake” does not lead to “resolution” any more"):
        insert_stage(
            **who, source="intake", target="resolution", new_stage=NewStage(at=HERE, new_agent="X")
        )
    assert len(now(pipeline).stages) == len(now(pipeline).agents) == 3


# Splicing


def test_a_spliced_stage_stands_between_the_two(who, pipeline):
    topology.add_stage(**who)
    insert_existing_stage(**who, phase="stage-1", source="intake", target="review", at=HERE)
    assert kinds(pipeline) == {
        "intake>stage-1": "next",
        "stage-1>review": "next",
        "review>resolution": "next",
    }
    assert now(pipeline).layout.stages["stage-1"] == HERE
    assert label(who) == "Insert stage-1 between intake and review"


def test_a_splice_keeps_when_to_go_with_the_source_and_what_to_tell_with_the_target(who, pipeline):
    describe(who, "intake>review")
    was = ways(pipeline)["intake", "review"]
    insert_stage(**who, source="intake", target="review", new_stage=NewStage(at=HERE))
    first, second = ways(pipeline)["intake", "stage-1"], ways(pipeline)["stage-1", "review"]
    assert first == Transition(
        source="intake", target="stage-1", kind="next", description=was.description
    )
    assert second == was.model_copy(update={"source": "stage-1", "description": ""})


def test_a_stage_spliced_into_a_return_is_returned_to_and_leads_on(who, pipeline):
    topology.connect(**who, source="resolution", target="intake")
    topology.connect(**who, source="resolution", target="review")
    insert_stage(**who, source="resolution", target="review", new_stage=NewStage(at=HERE))
    assert kinds(pipeline)["resolution>stage-1"] == "return"
    assert kinds(pipeline)["stage-1>review"] == "next"


def test_a_spliced_stage_keeps_its_own_next_and_ways_that_are_there_already(who, pipeline):
    topology.add_stage(**who, source="intake")
    topology.connect(**who, source="stage-1", target="resolution")
    assert kinds(pipeline)["intake>stage-1"] == "return"
    insert_existing_stage(**who, phase="stage-1", source="intake", target="review")
    assert kinds(pipeline) == {
        "intake>stage-1": "next",
        "stage-1>resolution": "next",
        "stage-1>review": "return",
        "review>resolution": "next",
    }


def test_a_stage_is_not_spliced_into_its_own_way_nor_into_one_that_is_gone(who, pipeline):
    with pytest.raises(RefusedError, match="“review” is an end of this transition already"):
        insert_existing_stage(**who, phase="review", source="intake", target="review")
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        insert_existing_stage(**who, phase="nowhere", source="intake", target="review")
    with pytest.raises(GoneError, match="does not lead to"):
        insert_existing_stage(**who, phase="review", source="intake", target="resolution")


# Plugging an end in elsewhere


def test_a_plug_moved_at_either_end_keeps_all_else(who, pipeline):
    describe(who, "review>resolution")
    was = ways(pipeline)["review", "resolution"]
    reconnect_transition(**who, key="review>resolution", end="target", phase="intake")
    assert label(who) == "Move review → resolution to intake"
    assert ways(pipeline)["review", "intake"] == was.model_copy(update={"target": "intake"})
    reconnect_transition(**who, key="review>intake", end="source", phase="resolution")
    assert label(who) == "Move review → intake to begin at resolution"
    moved = {"source": "resolution", "target": "intake"}
    assert ways(pipeline)["resolution", "intake"] == was.model_copy(update=moved)
    assert len(ways(pipeline)) == 2


def test_a_way_plugged_into_a_source_with_a_next_is_a_return(who, pipeline):
    topology.connect(**who, source="resolution", target="intake")
    reconnect_transition(**who, key="resolution>intake", end="source", phase="review")
    assert kinds(pipeline)["review>intake"] == "return"
    assert kinds(pipeline)["review>resolution"] == "next"


def test_a_plug_goes_where_there_is_a_stage_and_no_such_way_yet(who, pipeline):
    topology.connect(**who, source="intake", target="resolution")
    before = now(pipeline)
    with pytest.raises(RefusedError, match="“intake” already leads to “resolution”"):
        reconnect_transition(**who, key="intake>review", end="target", phase="resolution")
    with pytest.raises(GoneError, match="no stage “nowhere”"):
        reconnect_transition(**who, key="intake>review", end="target", phase="nowhere")
    with pytest.raises(GoneError, match="“review” does not lead to “intake” any more"):
        reconnect_transition(**who, key="review>intake", end="target", phase="resolution")
    assert not reconnect_transition(**who, key="intake>review", end="target", phase="review").made
    assert now(pipeline) == before


# Deleting with a way around


def test_what_led_to_a_deleted_stage_leads_on_as_it_did(who, pipeline):
    describe(who, "intake>review")
    was = ways(pipeline)["intake", "review"]
    delete_and_reconnect(**who, phases=["review"])
    assert ways(pipeline) == {
        ("intake", "resolution"): was.model_copy(update={"target": "resolution"})
    }
    assert label(who) == "Delete stage review and reconnect"


def test_a_conversation_begins_after_a_deleted_entry(who, pipeline):
    delete_and_reconnect(**who, phases=["intake"])
    assert now(pipeline).entry == "review"


def test_several_deleted_stages_are_passed_by_in_one_step(user):
    pipeline = draw(user, "a", "b", "c", "d")
    who = {"pipeline": pipeline, "user": user}
    delete_and_reconnect(**who, phases=["b", "c", "nowhere"])
    assert kinds(pipeline) == {"a>d": "next"}
    assert label(who) == "Delete 2 stages and reconnect"


def test_a_way_that_is_there_becomes_the_next_and_none_leads_to_itself(who, pipeline):
    topology.connect(**who, source="intake", target="resolution")
    topology.connect(**who, source="resolution", target="review")
    delete_and_reconnect(**who, phases=["review"])
    assert kinds(pipeline) == {"intake>resolution": "next"}


def test_a_last_stage_and_a_circle_are_deleted_without_a_way_around(user):
    pipeline = draw(user, "a", "b", "c")
    who = {"pipeline": pipeline, "user": user}
    topology.connect(**who, source="c", target="b")
    delete_and_reconnect(**who, phases=["b", "c"])
    assert kinds(pipeline) == {}
    assert now(pipeline).entry == "a"


def test_ways_deleted_together_with_a_stage_are_not_led_around_it(who, pipeline):
    delete_and_reconnect(**who, phases=["review"], transitions=["intake>review"])
    assert kinds(pipeline) == {}


def test_notes_and_frames_go_with_the_stages_that_are_passed_by(user):
    paper = Layout(
        notes=(Note(id="note-1", text="Here", x=0, y=0), Note(id="note-2", text="There", x=0, y=0)),
        frames=(Frame(id="frame-1", title="Ours", stages=("b", "c")),),
    )
    drawn = chain("a", "b", "c")
    both = drawn.layout.model_copy(update={"notes": paper.notes, "frames": paper.frames})
    pipeline = import_definition(user=user, definition=drawn.model_copy(update={"layout": both}))
    who = {"pipeline": pipeline, "user": user}
    before = now(pipeline)
    delete_and_reconnect(**who, phases=["b"], notes=["note-1"])
    assert [note.id for note in now(pipeline).layout.notes] == ["note-2"]
    assert now(pipeline).layout.frames == (Frame(id="frame-1", title="Ours", stages=("c",)),)
    delete_and_reconnect(**who, phases=["c"], frames=["frame-1"])
    assert now(pipeline).layout.frames == ()
    undo_edit(**who)
    undo_edit(**who)
    assert now(pipeline) == before


def test_stages_that_are_gone_are_not_deleted_again(who, pipeline):
    delete_and_reconnect(**who, phases=["review"])
    with pytest.raises(GoneError, match="no stage “review”"):
        delete_and_reconnect(**who, phases=["review"])
    delete_and_reconnect(**who, phases=[], transitions=["intake>resolution"])
    assert kinds(pipeline) == {}


# Laws


@pytest.mark.parametrize(
    "gesture",
    [
        lambda who: insert_existing_stage(
            **who, phase="stage-1", source="intake", target="review", at=HERE
        ),
        lambda who: insert_stage(
            **who,
            source="intake",
            target="review",
            new_stage=NewStage(at=HERE, new_agent="Billing"),
        ),
        lambda who: reconnect_transition(**who, key="intake>review", end="target", phase="stage-1"),
        lambda who: reconnect_transition(
            **who, key="intake>review", end="source", phase="resolution"
        ),
        lambda who: delete_and_reconnect(**who, phases=["intake", "review"]),
    ],
)
def test_each_is_one_edit_and_undo_and_redo_are_its_inverse_and_itself(who, pipeline, gesture):
    topology.add_stage(**who)
    describe(who, "intake>review")
    before = now(pipeline)
    gesture(who)
    after = now(pipeline)
    assert after != before
    undo_edit(**who)
    assert now(pipeline) == before
    redo_edit(**who)
    assert now(pipeline) == after


PHASES = ("a", "b", "c", "d", "e")


@st.composite
def drawn(draw):
    """Five stages, and any ways between them, one `next` at most from each."""
    pairs = draw(st.sets(st.tuples(st.sampled_from(PHASES), st.sampled_from(PHASES))))
    nexts = {draw(st.sampled_from(sorted(pairs))) for _ in range(3)} if pairs else set()
    ahead = {source: (source, target) for source, target in sorted(nexts)}
    return PipelineDefinition(
        name="Any",
        stages=tuple(Stage(phase=phase) for phase in PHASES),
        transitions=tuple(
            Transition(
                source=source,
                target=target,
                kind="next" if ahead.get(source) == (source, target) else "return",
            )
            for source, target in sorted(pairs)
        ),
        entry=draw(st.sampled_from([None, *PHASES])),
    )


@given(drawn(), st.sets(st.sampled_from(PHASES)))
def test_a_bypass_leaves_what_it_does_not_touch_and_one_next_at_most(definition, gone):
    left = bypass(definition, gone)
    after = {(way.source, way.target): way for way in left.transitions}
    assert len(after) == len(left.transitions)
    for way in definition.transitions:
        if gone.isdisjoint((way.source, way.target)):
            assert (way.source, way.target) in after
    assert all(gone.isdisjoint(pair) for pair in after)
    nexts = [way.source for way in left.transitions if way.kind == "next"]
    assert len(nexts) == len(set(nexts))
    assert left.entry not in gone
