"""Reduction of a conversation's events to its state: nothing else changes that state.

`ReducedState.apply` applies the recorded events in order. Everything that the engine knows about a
conversation and its current run is derived here, so a recorded trace restores it (contract S-7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from orchestration import events as e
from orchestration.conversation import groups
from orchestration.conversation.conversation_data import ConversationData
from orchestration.conversation.interventions import (
    as_decided,
    changed,
    note,
    refusal,
    step_in,
    tell_notes,
)
from orchestration.conversation.progress import RunProgress
from orchestration.definition import HUMAN
from orchestration.messages import Message


@dataclass(slots=True)
class ReducedState(ConversationData):
    """State of a conversation, reduced from its events."""

    def apply(self, event: e.Event) -> e.Event:
        """Take in one event, and give it back. `message.delta` changes nothing."""
        run = self.run
        if run is None:
            step_in(self, event)
        elif type(event) is e.MessageDelta:
            return event
        else:
            self.within_a_run.get(type(event), ReducedState._pass_over)(self, run, event)
            if self.notes:
                tell_notes(self)
            run.last = event
        self.trace.seq = event.seq
        return event

    # The message

    def _receive(self, run: RunProgress, event: e.MessageReceived) -> None:
        run.received, run.announced, run.began = True, event.message, len(self.history)
        self.spent.turns = 0
        if self.asked is None:
            self.history.append(Message(role="user", text=event.message.text, at=event.at))

    def _route(self, run: RunProgress, event: e.MessageRouted) -> None:
        run.routed = event
        if event.agent_id is not None:
            self.state = self.state.assigned(event.agent_id)
            run.path.append(event.agent_id)

    # Turns

    def _start_turn(self, run: RunProgress, event: e.TurnStarted) -> None:
        run.turns, run.asking, run.caller = event.turn, True, event.agent_id
        run.asked_in, run.stint = event.phase, self.state.handoff_count
        run.answered = run.looked = run.passed = False
        run.won = run.winner = None
        run.spoken = []
        spent = self.spent
        spent.turns, spent.last_turn_at, spent.context = event.turn, event.at, event.context_tokens
        spent.peak = max(spent.peak, event.context_tokens)
        if self.warned_limit and event.context_tokens * 5 < self.warned_limit * 4:
            self.warned_limit = None

    def _complete(self, run: RunProgress, event: e.MessageCompleted) -> None:
        run.asking = False
        run.usage += event.usage
        if event.text:
            run.said, run.speaker = True, event.agent_id
        if event.tool_calls:
            run.calls = event.tool_calls
            run.open_calls = {call.id: call for call in event.tool_calls}
            run.going.clear()
            run.decided.clear()
        else:
            run.answered, run.output, self.came_from = True, event.text, None
        self.history.append(
            Message(
                role="assistant",
                text=event.text,
                at=event.at,
                agent_id=event.agent_id,
                tool_calls=event.tool_calls,
                kept=event.kept,
            )
        )

    def _answer(
        self, run: RunProgress, call_id: str, text: str, event: e.Event, *, handoff: bool = False
    ) -> None:
        """Keep a call's result: every call has exactly one."""
        if run.open_calls.pop(call_id, None) is None:
            return
        run.results[call_id] = Message(
            role="tool",
            text=as_decided(text, run.decided.get(call_id)),
            at=event.at,
            agent_id=run.caller,
            tool_call_id=call_id,
            handoff=handoff,
        )
        if not run.open_calls:
            self._join_results(run)

    def _join_results(self, run: RunProgress) -> None:
        """The results join the history in the order of their calls, whichever came first."""
        self.history.extend(run.results[one.id] for one in run.calls if one.id in run.results)
        run.results.clear()

    def _set_going(self, run: RunProgress, event: e.ToolCalled) -> None:
        run.going.add(event.call.id)

    def _take_result(self, run: RunProgress, event: e.ToolReturned) -> None:
        result = event.result
        if self.asked is not None and self.asked.call_id == result.call_id:
            self.asked = self.asker = None
        self._answer(run, result.call_id, result.for_model(), event)

    def _ask(self, run: RunProgress, event: e.InputRequested) -> None:
        self.asked, self.asker = event, run.caller

    def _take_answer(self, run: RunProgress, event: e.InputReceived) -> None:
        """The user's answer is the result of the call that asked, in this run or an earlier."""
        asker, self.asked, self.asker = self.asker, None, None
        if event.call_id in run.open_calls:
            self._answer(run, event.call_id, event.text, event)
            return
        run.goes_on = asker
        self.history.append(
            Message(
                role="tool",
                text=event.text,
                at=event.at,
                agent_id=asker,
                tool_call_id=event.call_id,
            )
        )

    def _decide(self, run: RunProgress, event: e.ApprovalGiven) -> None:
        """The call is made, with other arguments where they were changed; or it is refused."""
        run.approvals.pop(event.call_id, None)
        if event.decision == "refused":
            self._answer(run, event.call_id, refusal(event), event)
        elif (call := run.open_calls.get(event.call_id)) is not None:
            run.decided[event.call_id] = event
            run.open_calls[event.call_id] = changed(call, event)

    # Subtasks

    def _begin_task(self, run: RunProgress, event: e.SubtaskStarted) -> None:
        self.tasks_begun += 1
        run.passed = False
        run.tasks[event.call_id or event.task_id] = event
        if event.kind == "member":
            run.begun.append(event.title)

    def _finish_task(self, run: RunProgress, event: e.SubtaskCompleted) -> None:
        run.tasks.pop(event.call_id or event.task_id, None)
        run.usage += event.usage
        if event.call_id is not None:
            text = event.output if event.error is None else f"Error: {event.error}"
            self._answer(run, event.call_id, text, event)
            return
        run.members[event.title] = event
        if not run.tasks:
            self._join_members(run, event)

    def _join_members(self, run: RunProgress, event: e.SubtaskCompleted) -> None:
        """Add the outputs of a group's members to the history, in the order in which they began."""
        there = [run.members[name] for name in dict.fromkeys(run.begun) if name in run.members]
        for one in there:
            if one.error is None and one.task_id not in run.going:
                run.going.add(one.task_id)
                run.said = True
                self.history.append(
                    Message(role="assistant", text=one.output, at=event.at, agent_id=one.title)
                )
        run.output = groups.joined({one.title: one.output for one in there})
        self.came_from = None

    # Handoffs

    def _request(self, run: RunProgress, event: e.HandoffRequested) -> None:
        if event.by:
            return  # what an agent has asked for is decided after it
        run.requested = event
        run.requests += 1
        run.looked = run.looked or not event.call_id

    def _hand_over(self, run: RunProgress, event: e.HandoffAccepted) -> None:
        run.winner = event
        if not event.by:
            run.won, run.requested, run.passed = run.requested, None, False
        run.answered, run.given = False, None
        run.handoffs += 1
        if event.to_phase != event.from_phase:
            run.phase_left = event.from_phase
        target = event.to_agent or HUMAN
        run.path.append(target)
        if not event.by:
            text = f"Handed over to {target} (stage {event.to_phase})."
            self._answer(run, event.call_id, text, event, handoff=True)
        self.pass_on(event)

    def _refuse(self, run: RunProgress, event: e.HandoffRejected) -> None:
        if event.by:
            return  # the run does not depend on it
        run.requested, run.passed = None, False
        if event.code in ("limit", "cycle"):
            run.refused = event
        self._answer(run, event.call_id, f"Refused: {event.why}", event, handoff=True)

    def _enter(self, run: RunProgress, event: e.PhaseChanged) -> None:
        run.phase_left = None
        if run.answered or run.members:
            run.answered, run.given = False, run.output
            run.members.clear()
            if event.agent_id is not None:
                run.path.append(event.agent_id)
        if self.state.phase != event.to_phase:
            self.state = self.state.transition(
                event.to_phase, event.agent_id, event.reason, at=event.at
            )

    # What stops and ends it

    def _mark(self, run: RunProgress, event: e.Event) -> None:
        """Keep what the steps that follow only have to know of."""
        match event:
            case e.ApprovalRequested():
                run.approvals[event.call.id] = event
            case e.RoutingFailed():
                run.failed_rules.add(event.rule_id)
            case e.ContextWarned():
                self.warned_limit = event.limit
            case e.LimitReached():
                run.limit = event
            case e.CycleDetected():
                run.circled = True
            case e.RunPaused():
                run.paused = event
            case e.RunResumed():
                if run.paused is None or run.paused.why != "approval":
                    run.stepping, run.passed = event.step, True
                run.paused = None

    def _note(self, run: RunProgress, event: e.SupervisorNoted) -> None:
        note(self, event)

    def _step_in(self, run: RunProgress, event: e.Event) -> None:
        step_in(self, event)

    def _pass_over(self, run: RunProgress, event: e.Event) -> None:
        """Nothing comes of it."""

    def _end(self, run: RunProgress, event: e.RunCompleted | e.RunFailed) -> None:
        """Close the run. What was said of an answer was heard; an open call gets a result.

        Every model demands one. Only a question to the user stays open until its answer.
        """
        if event.cut_off:
            text = event.cut_off
            self.history.append(
                Message(role="assistant", text=text, at=event.at, agent_id=run.caller)
            )
        waits = isinstance(event, e.RunCompleted) and event.reason == "waiting_for_user"
        kept = self.asked.call_id if self.asked and waits else None
        if kept is None:
            self.asked = self.asker = None
        if run.open_calls:
            why = "Error: the run ended before this call was done."
            for call_id in run.open_calls.keys() - {kept}:
                self._answer(run, call_id, why, event)
            self._join_results(run)
        self.ended, self.output, self.run = event, run.output, None
        if self.notes:
            tell_notes(self)

    within_a_run: ClassVar[Mapping[type[e.Fact], Callable[..., None]]] = {
        e.MessageReceived: _receive,
        e.MessageRouted: _route,
        e.RoutingFailed: _mark,
        e.TurnStarted: _start_turn,
        e.MessageCompleted: _complete,
        e.ToolCalled: _set_going,
        e.ToolReturned: _take_result,
        e.ApprovalRequested: _mark,
        e.ApprovalGiven: _decide,
        e.InputRequested: _ask,
        e.InputReceived: _take_answer,
        e.SubtaskStarted: _begin_task,
        e.SubtaskCompleted: _finish_task,
        e.HandoffRequested: _request,
        e.HandoffAccepted: _hand_over,
        e.HandoffRejected: _refuse,
        e.CycleDetected: _mark,
        e.PhaseChanged: _enter,
        e.ContextWarned: _mark,
        e.LimitReached: _mark,
        e.RunPaused: _mark,
        e.RunResumed: _mark,
        e.SupervisorNoted: _note,
        e.HumanJoined: _step_in,
        e.HumanReplied: _step_in,
        e.HumanLeft: _step_in,
        e.RunCompleted: _end,
        e.RunFailed: _end,
    }
    """The function that applies an event type; events without one change nothing."""
