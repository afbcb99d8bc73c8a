"""Runs that stop to ask a person, in the words of the AG-UI protocol, version 1.0.

A run of the protocol does not wait: it ends with the interrupts that it waits for, and what comes
then is told in another run of the same thread. One decided call of several ends that run with those
that still wait. (https://docs.ag-ui.com/spec/1.0/basic/patterns/interrupt-resume)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class ProtocolRun:
    """One of our runs, as the protocol's runs tell it."""

    thread_id: str
    run_id: str
    """The protocol's: ours, and after each interrupt another."""
    asked: dict[int, Interrupt] = field(default_factory=dict)
    """Open requests by the number of the event."""
    stands: bool = False
    """True if the client knows that the run waits: its protocol run has ended."""
    counted: Usage = field(default_factory=Usage)
    """Usage of all model calls."""
    told: Usage = field(default_factory=Usage)
    """As much of that as runs before this one have told."""

    def ask(self, event: e.ApprovalRequested, speaker: str, task: str | None) -> None:
        """Take in that a call waits for a person."""
        self.asked[event.seq] = Interrupt(
            id=f"approval-{event.seq}",
            reason="tool_call",  # as the protocol calls this one
            message=f"{speaker} asks whether to call {event.call.name}.",
            tool_call_id=event.call.id,
            subagent_run_id=task,
        )

    def decide(self, event: e.ApprovalGiven, task: str | None) -> None:
        """Take in that such a call was decided."""
        place = (event.call_id, task)
        self.asked = {
            seq: one
            for seq, one in self.asked.items()
            if (one.tool_call_id, one.subagent_run_id) != place
        }

    def begin(self) -> RunStartedEvent:
        """The beginning of a run of the protocol."""
        return RunStartedEvent(
            thread_id=self.thread_id, run_id=self.run_id, protocol_version=PROTOCOL_VERSION
        )

    def stand(self, subagents: Iterable[SubagentStartedEvent]) -> Iterator[BaseEvent]:
        """The end of a run that waits, and before it that of its subagents, the inner ones first.

        There has to be something that it waits for.
        """
        self.stands = True
        interrupts = list(self.asked.values())
        for one in reversed(list(subagents)):
            within = one.subagent_run_id
            own = [asked.id for asked in interrupts if asked.subagent_run_id == within]
            yield SubagentFinishedEvent(
                subagent_run_id=within,
                outcome=SubagentFinishedSuspendedOutcome(interrupt_ids=own or None),
            )
        yield RunFinishedEvent(
            thread_id=self.thread_id,
            run_id=self.run_id,
            outcome=RunFinishedInterruptOutcome(interrupts=interrupts),
            usage=self.spent(self.counted),
        )
        self.told = self.counted

    def go_on(self, seq: int, subagents: Iterable[SubagentStartedEvent]) -> Iterator[BaseEvent]:
        """The beginning of the run in which event `seq` is told, after one that waited."""
        self.stands = False
        self.run_id = f"{self.run_id.rpartition('#')[0] or self.run_id}#{seq}"
        yield self.begin()
        for one in subagents:
            yield one.model_copy()

    def spent(self, usage: Usage) -> list[TokenUsage]:
        """Return the usage since the last reported run."""
        came = max(usage.input_tokens - self.told.input_tokens, 0)
        went = max(usage.output_tokens - self.told.output_tokens, 0)
        return [TokenUsage(input_tokens=came, output_tokens=went, total_tokens=came + went)]
