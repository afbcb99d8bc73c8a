"""Events of handoffs that are decided without the engine (contract O-5 and O-7)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from orchestration.events import Event, HandoffAccepted, HandoffRejected
from orchestration.handoff import HandoffHandler, HandoffRequest, setup_handoff
from orchestration.state import ConversationState
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import HANDLER, TRIAGE

HANDOFFS = HandoffHandler(
    agents={TRIAGE, HANDLER},
    agent_aliases={"work": HANDLER},
    phase_map={HANDLER: "handling"},
    allowed_transitions={"intake": {"handling"}},
)
STATE = ConversationState(phase="intake", active_agent_id=TRIAGE)


class OwnAgent:
    """An agent of the caller, without tools."""

    def __init__(self) -> None:
        self.id = TRIAGE
        self.tools: Sequence[ToolSpec] = ()
        self.state = STATE
        self.tool_handler: Callable[[str, str], Awaitable[str]] = self.answer

    async def answer(self, name: str, arguments: str) -> str:
        return name


def observed(seen: list[Event]) -> HandoffHandler:
    async def observe(event: Event) -> None:
        seen.append(event)

    return replace(HANDOFFS, observers=[observe])


async def test_observers_get_every_decided_handoff_in_order():
    seen: list[Event] = []
    handler = observed(seen)
    refused = await handler.handle(HandoffRequest(target="nowhere"), STATE, session_id="room-1")
    accepted = await handler.handle(
        HandoffRequest(target="work", reason="r", summary="s"), STATE, session_id="room-1"
    )
    rejection, acceptance = seen
    assert isinstance(rejection, HandoffRejected)
    assert (rejection.why, rejection.code) == (refused.why, "unknown_target")
    assert rejection.phase == "intake"
    assert isinstance(acceptance, HandoffAccepted)
    assert (acceptance.from_agent, acceptance.to_agent) == (TRIAGE, HANDLER)
    assert (acceptance.from_phase, acceptance.to_phase) == ("intake", "handling")
    assert (acceptance.reason, acceptance.summary, acceptance.hop) == ("r", "s", 1)
    assert accepted.state.phase == "handling"
    assert {event.session_id for event in seen} == {"room-1"}


async def test_a_decision_alone_calls_no_observer():
    seen: list[Event] = []
    observed(seen).decide(HandoffRequest(target=HANDLER), STATE)
    assert seen == []


async def test_an_observer_gets_a_handoff_of_an_own_agent_after_its_state_changed():
    agent = OwnAgent()
    phases: list[str] = []
    handler = replace(HANDOFFS, observers=[lambda event: phases.append(agent.state.phase)])
    setup_handoff(agent, handler)
    answer = await agent.tool_handler(
        "handoff_conversation", json.dumps({"target": HANDLER, "reason": "r", "summary": "s"})
    )
    assert json.loads(answer)["accepted"]
    assert phases == ["handling"]


async def test_a_failing_observer_does_not_fail_the_handoff(caplog):
    def fail(event: Event) -> None:
        raise RuntimeError("no")

    handler = replace(HANDOFFS, observers=[fail])
    result = await handler.handle(HandoffRequest(target=HANDLER), STATE)
    assert result.accepted
    assert "RuntimeError: no" in caplog.text
