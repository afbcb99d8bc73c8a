"""Spans of runs."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration import events as e
from orchestration.events import Event
from orchestration.messages import InboundMessage, ToolCall, ToolResult, Usage
from orchestration.telemetry import RunTrace, TraceSpan, traces_of
from tests.orchestration.conversations import HANDLER, TRIAGE, four_stages
from tests.orchestration.telemetry.run_events import answer, completed, head, started, turn


def trace(*events: Event, with_content: bool = False) -> RunTrace:
    (only,) = traces_of(
        events, session_id="session", definition=four_stages(), with_content=with_content
    )
    return only


def shown(trace: RunTrace) -> list[tuple[str, str, float, str]]:
    """Return name, name of the parent, seconds and error of each span."""
    names = {span.key: span.name for span in trace.spans}
    return [
        (span.name, names.get(span.parent or "", ""), seconds(span), span.error)
        for span in trace.spans
    ]


def seconds(span: TraceSpan) -> float:
    assert span.end is not None
    return (span.end - span.start).total_seconds()


CALL = ToolCall(id="call-1", name="find_order", arguments='{"canary": 1}')


def test_a_turn_contains_the_model_call_and_its_tools():
    result = ToolResult(call_id="call-1", name="find_order", content="canary")
    events = (
        started(),
        turn(2),
        answer(4, CALL),
        e.ToolCalled(*head(5), call=CALL),
        e.ToolReturned(*head(8), result=result),
        turn(9, 2),
        answer(11, number=2, text="canary"),
        completed(12),
    )
    built = trace(*events)
    assert shown(built) == [
        ("invoke_workflow Support", "", 11.0, ""),
        ("invoke_agent Triage", "invoke_workflow Support", 7.0, ""),
        ("chat small", "invoke_agent Triage", 2.0, ""),
        ("execute_tool find_order", "invoke_agent Triage", 3.0, ""),
        ("invoke_agent Triage", "invoke_workflow Support", 3.0, ""),
        ("chat small", "invoke_agent Triage", 2.0, ""),
    ]
    assert built.spans[2].attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "default",
        "gen_ai.request.model": "small",
        "gen_ai.response.finish_reasons": ("tool_calls",),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
    }
    assert built.spans[3].attributes["gen_ai.tool.call.id"] == "call-1"
    assert "canary" not in str(built)
    content = trace(
        *events,
        e.MessageReceived(*head(13), message=InboundMessage(id="m", text="x")),
        with_content=True,
    )
    assert content.spans[3].attributes["gen_ai.tool.call.arguments"] == '{"canary": 1}'
    assert content.spans[3].attributes["gen_ai.tool.call.result"] == "canary"
    assert "canary" in str(content.spans[5].attributes["gen_ai.output.messages"])


def test_each_attempt_of_a_model_call_is_a_span():
    again: dict[str, Any] = {"turn": 1, "attempt": 1, "of": 3, "message": "Lost", "model": "large"}
    built = trace(
        started(),
        turn(2),
        e.TurnRetried(*head(3), **again, error="ProviderTimeout", wait=2.0),
        answer(9),
        completed(10),
    )
    agent = "invoke_agent Triage"
    assert shown(built)[2:] == [
        ("chat small", agent, 1.0, "ProviderTimeout"),
        ("chat large", agent, 4.0, ""),
    ]


@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_handoff_is_a_transfer_of_control(is_accepted):
    call = ToolCall(id="call-1", name="transfer_to_handler")
    texts: dict[str, Any] = {"reason": "because", "summary": "so far"}
    accepted = e.HandoffAccepted(
        *head(6), call_id="call-1", from_agent=TRIAGE, to_agent=HANDLER, from_phase="intake",
        to_phase="handling", hop=1, hop_limit=8, **texts,
    )  # fmt: skip
    rejected = e.HandoffRejected(*head(6), call_id="call-1", target="x", why="No.", code="limit")
    built = trace(
        started(),
        turn(2),
        answer(4, call),
        e.HandoffRequested(*head(5), call_id="call-1", target="x", **texts),
        accepted if is_accepted else rejected,
        completed(7),
    )
    transfer = built.spans[-1]
    assert transfer.name == "execute_tool transfer_to_handler x"
    assert transfer.parent == built.spans[1].key
    assert transfer.attributes["gen_ai.transfer.mode"] == "pass_control"
    if is_accepted:
        assert transfer.error == ""
        assert transfer.attributes["gen_ai.transfer.target.name"] == HANDLER
        assert transfer.attributes["baton.transfer.target.type"] == "agent"
        assert transfer.attributes["baton.transition.kind"] == "next"
    else:
        assert transfer.error == "limit"
        assert "baton.transition.kind" not in transfer.attributes


def test_a_handoff_to_the_human_names_its_kind():
    built = trace(
        started(),
        e.HandoffAccepted(
            *head(2), call_id="", from_agent=TRIAGE, to_agent=None, from_phase="intake",
            to_phase="intake", hop=1, hop_limit=8, reason="", summary="",
        ),
        completed(3),
    )  # fmt: skip
    assert built.spans[1].name == "execute_tool handoff human"
    assert built.spans[1].attributes["baton.transfer.target.type"] == "human"
    assert built.spans[1].parent == built.spans[0].key


def test_a_failed_run_ends_what_is_open_as_unfinished():
    end: dict[str, Any] = {"usage": Usage(), "turns": 1, "handoffs": 0, "message": "Lost"}
    failed = e.RunFailed(*head(5), error="ProviderError", **end)
    built = trace(started(), turn(2), failed)
    assert [span.error for span in built.spans] == ["ProviderError", "", ""]
    assert built.spans[0].attributes["baton.stop_reason"] == "failed"
    assert built.spans[2].attributes["baton.unfinished"] is True
    assert seconds(built.spans[2]) == 3.0
