"""Deletion of stages with a bypass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.core.edit_errors import GoneError
from designer.core.undo import undo_edit
from designer.editor.actions import topology
from designer.editor.actions.bypass_stages import bypass, delete_and_reconnect
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    Frame,
    Layout,
    Note,
)
from tests.designer.edit_actions import fill_transition, label
from tests.designer.editor_requests import chain, draw, kinds, now, transitions_of
from tests.orchestration.strategies import PHASES, transition_graphs

pytestmark = pytest.mark.django_db


def test_a_transition_to_a_deleted_stage_leads_to_its_next_unchanged(actor, pipeline):
    fill_transition(actor, "intake>review")
    was = transitions_of(pipeline)["intake", "review"]
    delete_and_reconnect(**actor, phases=["review"])
    assert transitions_of(pipeline) == {
        ("intake", "resolution"): was.model_copy(update={"target": "resolution"})
    }
    assert label(actor) == "Delete stage review and reconnect"


def test_the_next_stage_of_a_deleted_entry_becomes_the_entry(actor, pipeline):
    delete_and_reconnect(**actor, phases=["intake"])
    assert now(pipeline).entry == "review"


def test_several_deleted_stages_are_bypassed_together(user):
    pipeline = draw(user, "a", "b", "c", "d")
    actor = {"pipeline": pipeline, "user": user}
    delete_and_reconnect(**actor, phases=["b", "c", "nowhere"])
    assert kinds(pipeline) == {"a>d": "next"}
    assert label(actor) == "Delete 2 stages and reconnect"


def test_an_existing_transition_becomes_the_next_and_no_loop_is_added(actor, pipeline):
    topology.connect(**actor, source="intake", target="resolution")
    topology.connect(**actor, source="resolution", target="review")
    delete_and_reconnect(**actor, phases=["review"])
    assert kinds(pipeline) == {"intake>resolution": "next"}


def test_the_last_stage_and_a_cycle_are_deleted_without_a_bypass(user):
    pipeline = draw(user, "a", "b", "c")
    actor = {"pipeline": pipeline, "user": user}
    topology.connect(**actor, source="c", target="b")
    delete_and_reconnect(**actor, phases=["b", "c"])
    assert kinds(pipeline) == {}
    assert now(pipeline).entry == "a"


def test_transitions_deleted_together_with_a_stage_are_not_reconnected(actor, pipeline):
    delete_and_reconnect(**actor, phases=["review"], transitions=["intake>review"])
    assert kinds(pipeline) == {}


def test_selected_notes_and_frames_are_deleted_with_the_stages(user):
    layout = Layout(
        notes=(Note(id="note-1", text="Here", x=0, y=0), Note(id="note-2", text="There", x=0, y=0)),
        frames=(Frame(id="frame-1", title="Ours", stages=("b", "c")),),
    )
    definition = chain("a", "b", "c")
    both = definition.layout.model_copy(update={"notes": layout.notes, "frames": layout.frames})
    pipeline = import_definition(
        user=user, definition=definition.model_copy(update={"layout": both})
    )
    actor = {"pipeline": pipeline, "user": user}
    before = now(pipeline)
    delete_and_reconnect(**actor, phases=["b"], notes=["note-1"])
    assert [note.id for note in now(pipeline).layout.notes] == ["note-2"]
    assert now(pipeline).layout.frames == (Frame(id="frame-1", title="Ours", stages=("c",)),)
    delete_and_reconnect(**actor, phases=["c"], frames=["frame-1"])
    assert now(pipeline).layout.frames == ()
    undo_edit(**actor)
    undo_edit(**actor)
    assert now(pipeline) == before


def test_missing_stages_are_not_deleted_again(actor, pipeline):
    delete_and_reconnect(**actor, phases=["review"])
    with pytest.raises(GoneError, match="no stage “review”"):
        delete_and_reconnect(**actor, phases=["review"])
    delete_and_reconnect(**actor, phases=[], transitions=["intake>resolution"])
    assert kinds(pipeline) == {}


@given(transition_graphs(), st.sets(st.sampled_from(PHASES)))
def test_a_bypass_keeps_other_transitions_and_at_most_one_next_per_stage(definition, deleted):
    new = bypass(definition, deleted)
    after = {(t.source, t.target): t for t in new.transitions}
    assert len(after) == len(new.transitions)
    for transition in definition.transitions:
        pair = transition.source, transition.target
        assert pair in after or not deleted.isdisjoint(pair)
    assert all(deleted.isdisjoint(pair) for pair in after)
    sources = [t.source for t in new.transitions if t.kind == "next"]
    assert len(sources) == len(set(sources))
    assert new.entry not in deleted
