"""A conversation as the fold of its events: the only place where it changes.

`Conversation.apply` takes one recorded event after the other. Whatever the engine knows of a
conversation and of the run under way comes from here, so that a recorded trace gives all of it
back (row S-7, and DESIGN §5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from orchestration import events as e
from orchestration.definition import HUMAN
from orchestration.memory import View
from orchestration.messages import InboundMessage, Message, ToolCall, Usage
from orchestration.state import ConversationState


@dataclass(slots=True)
class Run:
    """How far the run under way has come."""

    id: str
    announced: InboundMessage | None
    """The message that set it going."""
    received: bool = False
    failed_rules: set[str] = field(default_factory=set)
    routed: e.MessageRouted | None = None
    turns: int = 0
    handoffs: int = 0
    usage: Usage = field(default_factory=Usage)
    asking: bool = False
    """A turn has started and its answer is not complete."""
    spoken: list[str] = field(default_factory=list)
    """The pieces of that answer which came to this process."""
    caller: str | None = None
    """The agent whose turn it is or was."""
    open_calls: dict[str, ToolCall] = field(default_factory=dict)
    """Calls of the last turn that have no result yet, in order."""
    going: set[str] = field(default_factory=set)
    """Calls among them that were set going."""
    requested: e.HandoffRequested | None = None
    """A handoff that is not decided yet."""
    winner: tuple[e.HandoffRequested, e.HandoffAccepted] | None = None
    """The handoff that this turn's calls brought about."""
    over_limit: bool = False
    """A handoff was refused for the limit."""
    phase_left: str | None = None
    """The phase that the last handoff left, while nobody was told."""
    limit: e.LimitReached | None = None
    said: bool = False
    """Some agent has said something."""
    answered: bool = False
    """The last turn ended without a call."""
    last: e.Event | None = None


@dataclass(slots=True)
class Conversation:
    """All that is known of a conversation."""

    state: ConversationState
    seq: int = 0
    history: list[Message] = field(default_factory=list)
    run: Run | None = None
    """The run that started and has not ended."""
    came_from: str | None = None
    """The agent that handed over and whose receiver has not answered yet."""
    received_from: dict[str, e.HandoffAccepted] = field(default_factory=dict)
    """For each agent the last handoff it received."""
    warned_limit: int | None = None
    """The context limit that was warned of, while four fifths of it are used."""
    _views: dict[str, View] = field(default_factory=dict)

    def view(self, agent_id: str) -> View:
        """The history as one agent sees it, up to date."""
        view = self._views.get(agent_id)
        if view is None:
            view = self._views[agent_id] = View(agent_id)
        view.catch_up(self.history)
        return view

    def apply(self, event: e.Event) -> None:  # noqa: C901 - one arm for each event
        """Take in one event. `message.delta` changes nothing and has no number of its own."""
        if isinstance(event, e.MessageDelta):
            return
        self.seq = event.seq
        if isinstance(event, e.RunStarted):
            self.run = Run(event.run_id, event.message)
        run = self.run
        if run is None:
            return
        run.last = event
        match event:
            case e.RunStarted() | e.HookFailed():
                pass
            case e.TurnStarted():
                self._start_turn(run, event)
            case e.MessageCompleted():
                self._complete(run, event)
            case e.MessageReceived():
                run.received, run.announced = True, event.message
                self.history.append(Message(role="user", text=event.message.text, at=event.at))
            case e.RunCompleted() | e.RunFailed():
                self._end(run, event)
            case e.RoutingFailed():
                run.failed_rules.add(event.rule_id)
            case e.MessageRouted():
                run.routed = event
                if event.agent_id is not None:
                    self.state = self.state.assigned(event.agent_id)
            case e.ToolCalled():
                run.going.add(event.call.id)
            case e.ToolReturned():
                self._answer(run, event.result.call_id, event.result.for_model(), event)
            case e.HandoffRequested():
                run.requested = event
            case e.HandoffAccepted():
                self._hand_over(run, event)
            case e.HandoffRejected():
                run.requested = None
                run.over_limit = run.over_limit or event.code == "limit"
                self._answer(run, event.call_id, f"Refused: {event.why}", event)
            case e.PhaseChanged():
                self._enter(run, event)
            case e.ContextWarned():
                self.warned_limit = event.limit
            case e.LimitReached():
                run.limit = event
            case _:
                assert_never(event)

    def _start_turn(self, run: Run, event: e.TurnStarted) -> None:
        run.turns, run.asking, run.caller = event.turn, True, event.agent_id
        run.answered, run.winner, run.spoken = False, None, []
        if self.warned_limit and event.context_tokens * 5 < self.warned_limit * 4:
            self.warned_limit = None

    def _complete(self, run: Run, event: e.MessageCompleted) -> None:
        run.asking = False
        run.usage += event.usage
        run.open_calls = {call.id: call for call in event.tool_calls}
        run.going.clear()
        run.answered = not event.tool_calls
        run.said = run.said or bool(event.text)
        if run.answered:
            self.came_from = None
        self.history.append(
            Message(
                role="assistant",
                text=event.text,
                at=event.at,
                agent_id=event.agent_id,
                tool_calls=event.tool_calls,
            )
        )

    def _answer(self, run: Run, call_id: str, text: str, event: e.Event) -> None:
        """Put a call's result into the history: every call has exactly one."""
        if run.open_calls.pop(call_id, None) is None:
            return
        self.history.append(
            Message(role="tool", text=text, at=event.at, agent_id=run.caller, tool_call_id=call_id)
        )

    def _hand_over(self, run: Run, event: e.HandoffAccepted) -> None:
        if run.requested is not None:
            run.winner = (run.requested, event)
        run.requested = None
        run.handoffs += 1
        if event.to_phase != event.from_phase:
            run.phase_left = event.from_phase
        target = event.to_agent or HUMAN
        self._answer(
            run, event.call_id, f"Handed over to {target} (stage {event.to_phase}).", event
        )
        self.state = self.state.transition(
            event.to_phase,
            event.to_agent,
            event.reason,
            at=event.at,
            channel=event.channel_escalation,
        )
        self.came_from = event.from_agent
        if event.to_agent is not None:
            self.received_from[event.to_agent] = event

    def _enter(self, run: Run, event: e.PhaseChanged) -> None:
        run.phase_left = None
        if self.state.phase != event.to_phase:
            self.state = self.state.transition(
                event.to_phase, self.state.active_agent_id, event.reason, at=event.at
            )

    def _end(self, run: Run, event: e.RunCompleted | e.RunFailed) -> None:
        """Close the run. What was said of an answer was heard; an open call gets a result.

        Every model demands one.
        """
        if event.cut_off:
            text = event.cut_off
            self.history.append(
                Message(role="assistant", text=text, at=event.at, agent_id=run.caller)
            )
        for call_id in list(run.open_calls):
            self._answer(run, call_id, "Error: the run ended before this call was done.", event)
        self.run = None
