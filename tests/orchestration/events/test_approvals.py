"""Events of approvals."""

import msgspec
import pytest

from orchestration.events import ApprovalGiven, ApprovalRequested, decode, dump, encode, load
from orchestration.messages import ToolCall
from tests.orchestration.conversations import NOON

HEAD = (1, NOON, "s1", "run", "intake", "agent-triage")
CALL = ToolCall(id="c1", name="pay", arguments='{"amount": 5}')


@pytest.mark.parametrize(
    "event",
    [
        ApprovalRequested(*HEAD, call=CALL),
        ApprovalGiven(*HEAD, call_id="c1", decision="approved", by="ada"),
        ApprovalGiven(*HEAD, call_id="c1", decision="changed", arguments='{"amount": 4}'),
        ApprovalGiven(*HEAD, call_id="c1", decision="refused", reason="too much"),
    ],
)
def test_an_approval_event_reads_back_from_its_json(event):
    assert decode(encode(event)) == event


def test_a_decision_is_one_of_three():
    given = ApprovalGiven(*HEAD, call_id="c1", decision="approved")
    with pytest.raises(msgspec.ValidationError, match=r"\$\.decision"):
        load(dump(given) | {"decision": "ignored"})


def test_a_request_contains_the_whole_call():
    assert dump(ApprovalRequested(*HEAD, call=CALL))["call"]["arguments"] == CALL.arguments
