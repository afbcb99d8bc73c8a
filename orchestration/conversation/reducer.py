"""Reducer: the state of a conversation, computed from its events.

Nothing else changes the state. Everything that the engine knows about a conversation and its
current run is computed here, so a recorded trace restores it (contract S-7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from orchestration import events as e
from orchestration.conversation import groups
from orchestration.conversation.budget import BUDGET_RESOURCES
from orchestration.conversation.conversation_data import ConversationData
from orchestration.conversation.interventions import (
    add_note,
    apply_intervention,
    decided_call,
    decided_result,
    deliver_notes,
    refusal,
)
from orchestration.conversation.progress import RunProgress
from orchestration.definition import HUMAN
from orchestration.messages import NO_USAGE, Message


@dataclass(slots=True)
class ReducedState(ConversationData):
    """State of a conversation, reduced from its events."""

    def apply(self, event: e.Event) -> e.Event:
        """Apply an event and return it; `message.delta` changes nothing."""
        run = self.run
        if run is None:
            apply_intervention(self, event)
        elif (kind := type(event)) is e.MessageDelta:
            return event
        else:
            handle = self.run_handlers.get(kind)
            if handle is not None:
                handle(self, run, event)
            if self.notes:
                deliver_notes(self)
            run.last_event = event
        self.trace.seq = event.seq
        return event

    # Message

    def _receive(self, run: RunProgress, event: e.MessageReceived) -> None:
        run.received, run.message, run.history_start = True, event.message, len(self.history)
        self.usage.turns = 0
        if self.open_question is None and not run.from_agent:
            self.history.append(Message(role="user", text=event.message.text, at=event.at))

    def _route(self, run: RunProgress, event: e.MessageRouted) -> None:
        run.routing = event
        if event.agent_id is not None:
            self.state = self.state.assigned(event.agent_id)
            run.path.append(event.agent_id)

    # Turns

    def _start_turn(self, run: RunProgress, event: e.TurnStarted) -> None:
        run.turns, run.in_turn, run.caller = event.turn, True, event.agent_id
        run.turn_phase, run.handoffs_at_turn = event.phase, self.state.handoff_count
        run.answered = run.target_checked = run.pause_passed = False
        run.accepted_request = run.handoff = None
        run.text_pieces = []
        run.asked_model = (event.provider, event.model)
        self.budget.calls += 1
        spent = self.usage
        spent.turns, spent.last_turn_at, spent.context = event.turn, event.at, event.context_tokens
        if event.context_tokens > spent.peak:
            spent.peak = event.context_tokens
        if self.warned_limit and event.context_tokens * 5 < self.warned_limit * 4:
            self.warned_limit = None

    def _retry_turn(self, run: RunProgress, event: e.TurnRetried) -> None:
        run.asked_model = event.asked_model or run.asked_model
        self.budget.calls += 1

    def _complete_turn(self, run: RunProgress, event: e.MessageCompleted) -> None:
        run.in_turn = False
        run.usage = event.usage if run.usage is NO_USAGE else run.usage + event.usage
        self.budget.add_usage(run.asked_model, event.usage, event.at)
        if event.text:
            run.has_text, run.speaker = True, event.agent_id
            self.trace.answers[event.seq] = event.agent_id
        if event.tool_calls:
            run.calls = event.tool_calls
            run.open_calls = {call.id: call for call in event.tool_calls}
            run.started_calls.clear()
            run.decisions.clear()
        else:
            run.answered, run.output, self.came_from = True, event.text, None
            run.truncated = event.ending == "length"
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

    def _add_result(
        self, run: RunProgress, call_id: str, text: str, event: e.Event, *, handoff: bool = False
    ) -> None:
        """Store the result of a call, which has exactly one."""
        if run.open_calls.pop(call_id, None) is None:
            return
        run.results[call_id] = Message(
            role="tool",
            text=decided_result(text, run.decisions.get(call_id)),
            at=event.at,
            agent_id=run.caller,
            tool_call_id=call_id,
            handoff=handoff,
        )
        if not run.open_calls:
            self._join_results(run)

    def _join_results(self, run: RunProgress) -> None:
        """Add the results to the history in the order of their calls."""
        self.history.extend(run.results[call.id] for call in run.calls if call.id in run.results)
        run.results.clear()

    def _start_call(self, run: RunProgress, event: e.ToolCalled) -> None:
        run.started_calls.append(event.call.id)

    def _take_result(self, run: RunProgress, event: e.ToolReturned) -> None:
        result = event.result
        if result.milliseconds:
            self.budget.add_work(result.milliseconds, event.at)
        if self.open_question is not None and self.open_question.call_id == result.call_id:
            self.open_question = self.asker = None
        self._add_result(run, result.call_id, result.for_model(), event)

    def _ask(self, run: RunProgress, event: e.InputRequested) -> None:
        self.open_question, self.asker = event, run.caller

    def _take_answer(self, run: RunProgress, event: e.InputReceived) -> None:
        """Use the user's answer as the result of the call, which may be of an earlier run."""
        asker, self.open_question, self.asker = self.asker, None, None
        if event.call_id in run.open_calls:
            self._add_result(run, event.call_id, event.text, event)
            return
        run.continuing_agent = asker
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
        """Apply a decision: refuse the call, or release it with the decided arguments."""
        run.approvals.pop(event.call_id, None)
        if event.decision == "refused":
            self._add_result(run, event.call_id, refusal(event), event)
        elif (call := run.open_calls.get(event.call_id)) is not None:
            run.decisions[event.call_id] = event
            run.open_calls[event.call_id] = decided_call(call, event)

    # Subtasks

    def _begin_task(self, run: RunProgress, event: e.SubtaskStarted) -> None:
        if event.kind == "supervision":
            return
        self.tasks_begun += 1
        run.pause_passed = False
        run.tasks[event.call_id or event.task_id] = event
        if event.kind == "member":
            run.started_members.append(event.title)

    def _finish_task(self, run: RunProgress, event: e.SubtaskCompleted) -> None:
        run.usage += event.usage
        if event.kind == "supervision":
            return
        run.tasks.pop(event.call_id or event.task_id, None)
        if event.call_id is not None:
            text = event.output if event.error is None else f"Error: {event.error}"
            if event.truncated:
                text += "\n\n(This answer was cut off at its maximum length.)"
            self._add_result(run, event.call_id, text, event)
            return
        run.members[event.title] = event
        run.truncated = run.truncated or event.truncated
        if not run.tasks:
            self._join_members(run, event)

    def _join_members(self, run: RunProgress, event: e.SubtaskCompleted) -> None:
        """Add the outputs of a group's members to the history, in order of their start."""
        names = dict.fromkeys(run.started_members)
        members = [run.members[name] for name in names if name in run.members]
        for member in members:
            if member.error is None and member.task_id not in run.started_calls:
                run.started_calls.append(member.task_id)
                run.has_text = True
                text, agent_id = member.output, member.title
                self.history.append(
                    Message(role="assistant", text=text, at=event.at, agent_id=agent_id)
                )
        run.output = groups.join_outputs({member.title: member.output for member in members})
        self.came_from = None

    # Handoffs

    def _request(self, run: RunProgress, event: e.HandoffRequested) -> None:
        if event.by:
            return  # the request of a person does not replace the request of an agent
        run.handoff_request = event
        run.requests += 1
        run.target_checked = run.target_checked or not event.call_id

    def _hand_over(self, run: RunProgress, event: e.HandoffAccepted) -> None:
        run.handoff = event
        if not event.by:
            run.accepted_request, run.handoff_request = run.handoff_request, None
            run.pause_passed = False
        run.answered, run.previous_output = False, None
        run.handoffs += 1
        if event.to_phase != event.from_phase:
            run.previous_phase = event.from_phase
        target = event.to_agent or HUMAN
        run.path.append(target)
        if not event.by:
            text = f"Handed over to {target} (stage {event.to_phase})."
            self._add_result(run, event.call_id, text, event, handoff=True)
        self.apply_handoff(event)

    def _refuse(self, run: RunProgress, event: e.HandoffRejected) -> None:
        if event.by:
            return  # the rejection of a person's request does not affect the run
        run.handoff_request, run.pause_passed = None, False
        if event.code in ("limit", "cycle"):
            run.rejection = event
        self._add_result(run, event.call_id, f"Refused: {event.why}", event, handoff=True)

    def _enter(self, run: RunProgress, event: e.PhaseChanged) -> None:
        run.previous_phase = None
        if run.answered or run.members:
            run.answered, run.previous_output = False, run.output
            run.members.clear()
            if event.agent_id is not None:
                run.path.append(event.agent_id)
        if self.state.phase != event.to_phase:
            self.state = self.state.transition(
                event.to_phase, event.agent_id, event.reason, at=event.at
            )

    # Pauses, limits and end

    def _store(self, run: RunProgress, event: e.Event) -> None:
        """Store an event that only the planner reads."""
        match event:
            case e.ApprovalRequested():
                run.approvals[event.call.id] = event
            case e.RoutingFailed():
                run.failed_rules.append(event.rule_id)
            case e.ContextWarned():
                self.warned_limit = event.limit
            case e.LimitReached():
                run.limit = event
                if event.resource in BUDGET_RESOURCES:
                    self.budget.reached = event
            case e.CycleDetected():
                run.in_cycle = True
            case e.RunPaused():
                run.pause, run.requested_pause = event, None
            case e.RunResumed():
                if run.pause is None or run.pause.why != "approval":
                    run.stepping, run.pause_passed = event.step, True
                run.pause = None

    def _note(self, run: RunProgress, event: e.SupervisorNoted) -> None:
        add_note(self, event)

    def _intervene(self, run: RunProgress, event: e.Event) -> None:
        apply_intervention(self, event)

    def _end(self, run: RunProgress, event: e.RunCompleted | e.RunFailed) -> None:
        """End the run: keep the partial answer, and close the open calls with an error.

        Models require a result for each call. Only a question to the user stays open.
        """
        if run.in_turn and (started_at := self.usage.last_turn_at) is not None:
            self.budget.add_work((event.at - started_at).total_seconds() * 1000, event.at)
        if event.cut_off:
            text = event.cut_off
            self.history.append(
                Message(role="assistant", text=text, at=event.at, agent_id=run.caller)
            )
        waits = isinstance(event, e.RunCompleted) and event.reason == "waiting_for_user"
        open_id = self.open_question.call_id if self.open_question and waits else None
        if open_id is None:
            self.open_question = self.asker = None
        if run.open_calls:
            why = "Error: the run ended before this call was done."
            for call_id in run.open_calls.keys() - {open_id}:
                self._add_result(run, call_id, why, event)
            self._join_results(run)
        self.run_end, self.output, self.run = event, run.output, None

    run_handlers: ClassVar[Mapping[type[e.EventBase], Callable[..., None]]] = {
        e.MessageReceived: _receive,
        e.MessageRouted: _route,
        e.RoutingFailed: _store,
        e.TurnStarted: _start_turn,
        e.TurnRetried: _retry_turn,
        e.MessageCompleted: _complete_turn,
        e.ToolCalled: _start_call,
        e.ToolReturned: _take_result,
        e.ApprovalRequested: _store,
        e.ApprovalGiven: _decide,
        e.InputRequested: _ask,
        e.InputReceived: _take_answer,
        e.SubtaskStarted: _begin_task,
        e.SubtaskCompleted: _finish_task,
        e.HandoffRequested: _request,
        e.HandoffAccepted: _hand_over,
        e.HandoffRejected: _refuse,
        e.CycleDetected: _store,
        e.PhaseChanged: _enter,
        e.ContextWarned: _store,
        e.LimitReached: _store,
        e.RunPaused: _store,
        e.RunResumed: _store,
        e.SupervisorNoted: _note,
        e.HumanJoined: _intervene,
        e.HumanReplied: _intervene,
        e.HumanLeft: _intervene,
        e.RunCompleted: _end,
        e.RunFailed: _end,
    }
    """Handlers of event types; an event without one changes nothing."""
