"""Runs that wait for a person, in the AG-UI protocol, version 1.0.

A run of the protocol does not wait: it ends with its interrupts, and later events belong to another
run of the same thread. If only some of the calls are decided, that run ends with the others.
(https://docs.ag-ui.com/spec/1.0/basic/patterns/interrupt-resume)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    Interrupt,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunStartedEvent,
    SubagentFinishedEvent,
    SubagentFinishedSuspendedOutcome,
    SubagentStartedEvent,
    TokenUsage,
)

from orchestration import events as e
from orchestration.messages import Usage

APPROVAL, QUESTION = "approval-", "question-"
"""Beginnings of the ids of interrupts; the number of the event follows."""

DECISION_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "arguments": {"type": "object", "description": "Other arguments for the call"},
        "reason": {"type": "string", "description": "Reason for a refusal"},
    },
    "required": ["approved"],
}
"""Answer to an approval request."""


@dataclass(slots=True)
class ProtocolRun:
    """The protocol's run for one of our runs."""

    thread_id: str
    run_id: str
    """Our id; another one after each interrupt."""
    interrupts: dict[int, Interrupt] = field(default_factory=dict)
    """Open approval requests by the number of the event."""
    is_suspended: bool = False
    """True if the protocol's run has ended because our run waits."""
    usage: Usage = field(default_factory=Usage)
    """Usage of all model calls."""
    reported: Usage = field(default_factory=Usage)
    """Usage that earlier runs of the protocol have reported."""

    def ask(self, event: e.ApprovalRequested, call_id: str, speaker: str, task: str | None) -> None:
        """Add an approval request; `call_id` is the protocol's id of the call."""
        self.interrupts[event.seq] = Interrupt(
            id=f"{APPROVAL}{event.seq}",
            reason="tool_call",  # the protocol's name for approvals
            message=f"{speaker} asks whether to call {event.call.name}.",
            tool_call_id=call_id,
            subagent_run_id=task,
            response_schema=DECISION_SCHEMA,
        )

    def decide(self, call_id: str) -> None:
        """Remove the approval request of a decided call."""
        self.interrupts = {
            seq: interrupt
            for seq, interrupt in self.interrupts.items()
            if interrupt.tool_call_id != call_id
        }

    def begin(self) -> RunStartedEvent:
        """Return the start of the protocol's run."""
        return RunStartedEvent(
            thread_id=self.thread_id, run_id=self.run_id, protocol_version=PROTOCOL_VERSION
        )

    def suspend(self, subagents: Iterable[SubagentStartedEvent]) -> Iterator[BaseEvent]:
        """Yield the ends of a waiting run's subagents, the inner ones first, and of the run itself.

        The run must have an interrupt.
        """
        self.is_suspended = True
        interrupts = list(self.interrupts.values())
        for subagent in reversed(list(subagents)):
            task = subagent.subagent_run_id
            own = [interrupt.id for interrupt in interrupts if interrupt.subagent_run_id == task]
            yield SubagentFinishedEvent(
                subagent_run_id=task,
                outcome=SubagentFinishedSuspendedOutcome(interrupt_ids=own or None),
            )
        yield RunFinishedEvent(
            thread_id=self.thread_id,
            run_id=self.run_id,
            outcome=RunFinishedInterruptOutcome(interrupts=interrupts),
            usage=self.unreported(self.usage),
        )
        self.reported = self.usage

    def resume(self, seq: int, subagents: Iterable[SubagentStartedEvent]) -> Iterator[BaseEvent]:
        """Yield the start of the next run and of its subagents, from event `seq` on."""
        self.is_suspended = False
        self.run_id = f"{self.run_id.rpartition('#')[0] or self.run_id}#{seq}"
        yield self.begin()
        for subagent in subagents:
            yield subagent.model_copy()

    def unreported(self, usage: Usage) -> list[TokenUsage]:
        """Return the part of a run's usage that is not reported yet."""
        received = max(usage.input_tokens - self.reported.input_tokens, 0)
        sent = max(usage.output_tokens - self.reported.output_tokens, 0)
        return [TokenUsage(input_tokens=received, output_tokens=sent, total_tokens=received + sent)]
