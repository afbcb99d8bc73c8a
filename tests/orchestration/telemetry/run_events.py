"""Events of a run with the triage agent."""

from datetime import timedelta
from typing import Any

from orchestration import events as e
from orchestration.events import Event
from orchestration.messages import InboundMessage, ToolCall, Usage
from tests.orchestration.conversations import NOON, TRIAGE


def head(seq: int, agent_id: str | None = TRIAGE, session: str = "session") -> Any:
    return seq, NOON + timedelta(seconds=seq), session, "run-1", "intake", agent_id


def started() -> Event:
    return e.RunStarted(*head(1, None), message=InboundMessage(id="m", text="Hello canary"))


def turn(seq: int, number: int = 1) -> Event:
    return e.TurnStarted(
        *head(seq), turn=number, provider="default", model="small", context_tokens=10
    )


def answer(seq: int, *calls: ToolCall, number: int = 1, text: str = "") -> Event:
    usage = Usage(input_tokens=7, output_tokens=3, calls=1)
    return e.MessageCompleted(*head(seq), turn=number, text=text, tool_calls=calls, usage=usage)


def completed(seq: int) -> Event:
    end: dict[str, Any] = {"reason": e.StopReason.REPLIED, "turns": 1, "handoffs": 0}
    return e.RunCompleted(*head(seq), usage=Usage(), **end)
