"""A session with an agent whose payments need approval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestration import events as e
from orchestration.definition import PipelineDefinition, Tool
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    PlayedModel,
    Turn,
    calling,
    collect,
    session_with,
    with_tools,
)
from tests.orchestration.steering_session import steer

AMOUNT = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "maximum": 100}},
    "required": ["amount"],
}
PAY = Tool(name="pay", approval=True, parameters=AMOUNT)
LOOK = Tool(name="look")


class Desk:
    """A session with an agent that may look and pay, and a record of its calls."""

    def __init__(
        self,
        turns: Sequence[Turn],
        events: Sequence[e.Event] = (),
        definition: PipelineDefinition | None = None,
        **options: Any,
    ) -> None:
        self.done: list[str] = []
        self.model = PlayedModel(turns)
        self.session: Session = session_with(
            self.model,
            definition or with_tools(PAY, LOOK),
            events=events,
            tools={"pay": self._pay, "look": self._look},
            **options,
        )

    async def decide(self, command: Any) -> list[e.Event]:
        """Apply a decision and return the events up to the next pause or the end."""
        return [*await steer(self.session, command), *await collect(self.session.resume())]

    def asked(self) -> int:
        return self.session.approvals[0].seq

    def _pay(self, amount: int) -> str:
        self.done.append(f"paid {amount}")
        return f"{amount} are paid."

    def _look(self) -> str:
        self.done.append("looked")
        return "There it is."


ONE = [calling("pay", call_id="c1", amount=7)]
