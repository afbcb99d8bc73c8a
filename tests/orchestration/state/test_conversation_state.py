"""The state of a conversation and its storage in metadata."""

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from orchestration.state import (
    ConversationPhase,
    ConversationState,
    PhaseTransition,
    get_conversation_state,
    set_conversation_state,
)
from tests.orchestration.conversations import NOON
from tests.orchestration.state.nested_metadata import nested

names = st.one_of(st.none(), st.sampled_from(["agent-a", "agent-b"]))
phases = st.one_of(st.sampled_from(ConversationPhase), st.text(max_size=12))
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.datetimes(), st.binary()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=6,
)
metadata = st.dictionaries(st.text(max_size=4), values, max_size=3)


def test_a_transition_returns_a_new_state_and_keeps_the_old_one():
    """Contract O-1."""
    before = ConversationState(phase="intake", active_agent_id="agent-triage")
    after = before.transition("handling", "agent-handler", "billing", {"invoice": 7}, at=NOON)
    assert (before.phase, before.handoff_count, before.phase_history) == ("intake", 0, ())
    assert (after.phase, after.active_agent_id, after.handoff_count) == (
        "handling",
        "agent-handler",
        1,
    )
    (step,) = after.phase_history
    assert (step.from_phase, step.to_phase) == ("intake", "handling")
    assert (step.from_agent, step.to_agent) == ("agent-triage", "agent-handler")
    assert (step.reason, step.metadata, step.at) == ("billing", {"invoice": 7}, NOON)


def test_a_state_cannot_be_changed():
    """Contract O-1."""
    with pytest.raises(AttributeError, match="immutable"):
        ConversationState().phase = "handling"  # type: ignore[misc]


def test_every_step_is_part_of_the_history():
    """Contract O-1: appended to the ones before, with what was said of it."""
    state = (
        ConversationState()
        .transition("handling", "agent-a", "An order.")
        .transition("review", "agent-b", metadata={"order": 17})
        .transition("review", "agent-c")
    )
    assert [(one.from_phase, one.to_phase) for one in state.phase_history] == [
        ("intake", "handling"),
        ("handling", "review"),
        ("review", "review"),
    ]
    assert [(one.from_agent, one.to_agent) for one in state.phase_history] == [
        (None, "agent-a"),
        ("agent-a", "agent-b"),
        ("agent-b", "agent-c"),
    ]
    assert [one.reason for one in state.phase_history] == ["An order.", "", ""]
    assert [one.metadata for one in state.phase_history] == [{}, {"order": 17}, {}]


def test_the_handoff_count_increases_only_if_the_agent_changes():
    """Contract O-1."""
    state = ConversationState(active_agent_id="agent-a")
    assert state.transition("handling", "agent-a").handoff_count == 0
    assert state.transition("handling", "agent-b").handoff_count == 1
    assert state.transition("escalation", None).handoff_count == 1


def test_no_agent_means_the_human():
    """Contract O-1, O-9."""
    state = ConversationState(active_agent_id="agent-a").transition("escalation")
    assert state.active_agent_id is None
    assert state.with_human
    assert not state.transition("handling", "agent-b").with_human


def test_any_string_is_a_valid_phase():
    """Contract O-2."""
    assert list(ConversationPhase) == [
        "intake",
        "qualification",
        "handling",
        "escalation",
        "resolution",
        "followup",
    ]
    state = ConversationState().transition(ConversationPhase.HANDLING, "agent-a")
    assert type(state.phase) is str
    assert state.transition("my-own-phase", "agent-a").phase == "my-own-phase"


def test_the_requested_channel_is_kept_until_the_next_request():
    """Contract O-14."""
    state = ConversationState().transition("handling", "agent-a", channel="voice")
    assert state.channel == "voice"
    assert state.transition("review", "agent-b").channel == "voice"
    assert state.transition("review", "agent-b", channel="sms").channel == "sms"


@given(st.lists(st.tuples(phases, names, st.text(max_size=8), metadata), max_size=6))
def test_a_state_is_parsed_unchanged_from_its_json(steps):
    """Contract O-1."""
    state = ConversationState()
    for phase, agent, reason, data in steps:
        state = state.transition(phase, agent, reason, data)
    assert ConversationState.from_json(state.to_json()) == state


def test_a_later_change_of_the_metadata_does_not_reach_the_state():
    """Contract O-1: metadata are copied at every depth, by `transition` and at construction."""
    data = nested()
    by_transition = ConversationState().transition("handling", "agent-a", metadata=data)
    by_construction = PhaseTransition(
        from_phase="a", to_phase="b", from_agent=None, to_agent=None, reason="", at=NOON,
        metadata=data,
    )  # fmt: skip
    data["tags"].append("angry")
    data["order"]["lines"][0]["id"] = 8
    for step in (*by_transition.phase_history, by_construction):
        assert step.metadata == nested()


def test_a_later_change_of_the_history_does_not_reach_the_state():
    """Contract O-1."""
    steps = list(ConversationState().transition("handling").phase_history)
    state = ConversationState(phase_history=steps)  # type: ignore[arg-type]
    steps.clear()
    assert len(state.phase_history) == 1


@dataclass(frozen=True)
class RoomRecord:
    """A room as a dataclass."""

    id: str
    metadata: dict[str, Any]


class RoomModel(BaseModel):
    """A room as a pydantic model."""

    id: str
    metadata: dict[str, Any]


class RoomStruct(msgspec.Struct, frozen=True):
    """A room as a struct."""

    id: str
    metadata: dict[str, Any]


@pytest.mark.parametrize("kind", [RoomRecord, RoomModel, RoomStruct, SimpleNamespace])
def test_a_room_keeps_its_state_in_its_metadata(kind):
    """Document 3: the caller stores the returned copy."""
    room = kind(id="room", metadata={"title": "Order 7"})
    assert get_conversation_state(room) == ConversationState()
    state = get_conversation_state(room).transition("handling", "agent-a", metadata=nested())
    changed = set_conversation_state(room, state)
    assert (type(changed), changed.id) == (type(room), "room")
    assert get_conversation_state(changed) == state
    assert changed.metadata["title"] == "Order 7"
    assert room.metadata == {"title": "Order 7"}
    stored = json.loads(json.dumps(changed.metadata))
    assert stored["_conversation_state"]["active_agent_id"] == "agent-a"
    assert get_conversation_state(SimpleNamespace(metadata=stored)) == state


def test_metadata_alone_can_keep_a_state():
    """Document 3, without a room."""
    state = ConversationState().transition("handling", "agent-a", "An order.", nested(), at=NOON)
    metadata = set_conversation_state({"title": "Order 7"}, state)
    assert metadata.keys() == {"title", "_conversation_state"}
    assert get_conversation_state(json.loads(json.dumps(metadata))) == state


def test_an_invalid_stored_state_is_an_error():
    """Document 3."""
    with pytest.raises(msgspec.ValidationError, match="phase"):
        get_conversation_state({"_conversation_state": {"phase": 7}})
