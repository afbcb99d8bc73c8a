"""Where a conversation stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.state import ConversationPhase, ConversationState
from tests.orchestration.conversations import NOON

names = st.one_of(st.none(), st.sampled_from(["agent-a", "agent-b"]))
phases = st.one_of(st.sampled_from(ConversationPhase), st.text(max_size=12))
metadata = st.dictionaries(st.text(max_size=4), st.one_of(st.integers(), st.text(max_size=4)))


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
