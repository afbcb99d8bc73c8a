"""The AG-UI form of each event type."""

from __future__ import annotations

import pytest

from designer.rehearsal.agui.event_mapping import custom
from designer.rehearsal.trace.event_table import TABLE
from orchestration import events as e
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.agui.protocol_checks import protocol_messages

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_these_events_have_no_counterpart_in_the_protocol():
    assert {event_type for event_type, entry in TABLE.items() if entry.agui is custom} == {
        e.MessageRouted,
        e.RoutingFailed,
        e.TurnRetried,
        e.HandoffRequested,
        e.CycleDetected,
        e.ContextWarned,
        e.LimitReached,
        e.RunResumed,
        e.SupervisorNoted,
        e.SupervisionLimited,
        e.HumanJoined,
        e.HumanLeft,
        e.FeedbackGiven,
        e.HookFailed,
    }


def test_a_handoff_is_told_with_its_reason_its_result_and_the_new_state(user):
    events = protocol_messages(record_rehearsal(user))
    [accepted, *_] = [event for event in events if event.get("name") == "handoff.accepted"]
    assert accepted["value"]["reason"] == "It is about an order or a payment."
    states = [event["snapshot"] for event in events if event["type"] == "STATE_SNAPSHOT"]
    assert {"phase": "handling", "agent": "agent-handler"} in states
    results = [event["content"] for event in events if event["type"] == "TOOL_CALL_RESULT"]
    assert "Handed over to agent-handler." in results
