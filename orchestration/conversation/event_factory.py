"""Events of the steps that need no waiting, derived from the conversation's state and a clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

import msgspec

from orchestration import events as e
from orchestration.conversation.compiled import CompiledPipeline
from orchestration.conversation.handoff_decision import check_handoff, filter_handoff
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.steps import (
    AskApproval,
    DecideHandoff,
    EndSupervision,
    Enter,
    Fail,
    Finish,
    Receive,
    RefuseCallStep,
    ReportCycle,
    RequestHandoff,
    Route,
    Step,
    StopAtLimit,
    TakeAnswer,
)
from orchestration.definition import HUMAN
from orchestration.exceptions import SessionError
from orchestration.handoff import (
    MAX_SUMMARY,
    Filter,
    HandoffRequest,
    HandoffResult,
)
from orchestration.messages import InboundMessage, ToolCall, ToolResult
from orchestration.routing import RoutingContext
from orchestration.tools import ToolSpec, read_arguments


class EventFactory(msgspec.Struct, frozen=True, eq=False):
    """Creates the events of one conversation, without applying them."""

    conversation: ReducedState
    pipeline: CompiledPipeline
    clock: Callable[[], datetime]
    filters: Mapping[tuple[str, str], Filter] = {}
    """The caller's filters, by source and target of a handoff."""

    def head(self) -> e.Head:
        """Return the common fields of an event of the active agent.

        Frequent events pass the fields one by one: `*head` beside keywords doubles the cost of an
        event.
        """
        return self.head_of(self.conversation.state.active_agent_id)

    def head_of(self, agent_id: str | None, phase: str | None = None) -> e.Head:
        """Return the common fields of an agent's event, in `phase` or the current one."""
        conversation = self.conversation
        run = conversation.run
        return (
            conversation.trace.seq + 1,
            self.clock(),
            conversation.id,
            run.id if run else "",
            phase or conversation.state.phase,
            agent_id,
        )

    def turn_head(self, agent_id: str | None) -> e.Head:
        """Return the common fields of a turn's events; swarm peers have their own session id."""
        head = self.head_of(agent_id)
        if not self.pipeline.peers:
            return head
        seq, at, session_id, *_ = head
        conversation = self.conversation
        run, count = conversation.run, conversation.state.handoff_count
        if run is not None and (run.in_turn or run.open_calls):
            count = run.handoffs_at_turn  # a handoff of this turn does not change its session id
        return (seq, at, f"{session_id}{SWARM_MARK}{agent_id}_{count}", *head[3:])

    def run_started(self, run_id: str, message: InboundMessage | None) -> e.Event:
        """Return the start of a run; without a message the run follows a hand-back."""
        seq, at, session_id, _, phase, _ = self.head_of(None)
        return e.RunStarted(
            seq, at, session_id, run_id, phase, message=message, goes_on=message is None
        )

    def tool_returned(self, result: ToolResult) -> e.Event:
        """Return the event with the result of a call."""
        run = self.conversation.run
        seq, at, session_id, run_id, phase, agent_id = self.turn_head(run.caller if run else None)
        return e.ToolReturned(seq, at, session_id, run_id, phase, agent_id, result=result)

    # First steps of a run

    def _received(self, step: Receive, run: RunProgress) -> e.Event:
        if run.message is None:
            return self.run_failed(run, "SessionError", "The run's message was not recorded.")
        seq, at, session_id, run_id, phase, agent_id = self.head_of(None)
        return e.MessageReceived(seq, at, session_id, run_id, phase, agent_id, message=run.message)

    def _answer_taken(self, step: TakeAnswer, run: RunProgress) -> e.Event:
        text = run.message.text if run.message else ""
        return e.InputReceived(*self.head(), call_id=step.request.call_id, text=text)

    def _routed(self, step: Route, run: RunProgress) -> e.Event:
        message = run.message
        conversation = self.conversation
        if run.handed_back:
            reason = "The conversation was handed back."
            agent_id = conversation.state.active_agent_id
            return e.MessageRouted(*self.head_of(agent_id), by="affinity", reason=reason)
        if message is None:
            raise SessionError("The run has no message to route: apply message.received first.")
        if run.continuing_agent is not None:
            reason = f"{run.continuing_agent} asked the user and continues."
            return e.MessageRouted(
                *self.head_of(run.continuing_agent), by="affinity", reason=reason
            )
        if run.start_phase is not None and conversation.state.active_agent_id is not None:
            reason = f"The conversation begins at stage {run.start_phase!r}."
            agent_id = conversation.state.active_agent_id
            return e.MessageRouted(*self.head_of(agent_id), by="start", reason=reason)
        context = RoutingContext(conversation.id, run.history_start)
        decision = self.pipeline.router.select(message, conversation.state, context)
        for rule_id, error in decision.failures:
            if rule_id not in run.failed_rules:
                return e.RoutingFailed(*self.head(), rule_id=rule_id, error=error)
        seq, at, session_id, run_id, phase, agent_id = self.head_of(decision.agent_id)
        return e.MessageRouted(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            by=decision.by,
            rule_id=decision.rule_id,
            reason=decision.reason,
            observers=decision.observers,
        )

    # Handoffs

    def _requested(self, step: RequestHandoff, run: RunProgress) -> e.Event:
        """Return the request, an error for the model, or a note about an identical request."""
        call = step.call
        if step.by_name:  # the answer is the name of a target (contract H-4)
            return e.HandoffRequested(
                *self.head_of(run.caller), call_id="", target=call.name, reason="", summary=""
            )
        offered = self.pipeline.offer(run.turn_phase, run.caller or "").by_name
        request = self._read(call, offered[call.name], run)
        if isinstance(request, str):
            return self.tool_returned(ToolResult(call_id=call.id, name=call.name, error=request))
        accepted = run.accepted_request
        if accepted and (accepted.target, accepted.to_phase) == (request.target, request.to_phase):
            content = "The same handoff was already accepted."
            return self.tool_returned(ToolResult(call_id=call.id, name=call.name, content=content))
        return request

    def _read(self, call: ToolCall, spec: ToolSpec, run: RunProgress) -> e.HandoffRequested | str:
        """Parse a handoff call; return a sentence if its arguments are wrong."""
        head = self.head_of(run.caller)
        if spec.kind == "transfer":
            option = spec.options[0]
            payload = read_arguments(call)
            if isinstance(payload, str):
                return payload
            if errors := self.pipeline.payload_errors(run.turn_phase, option.phase, payload):
                return f"The arguments of {call.name} are wrong: {'; '.join(errors)}"
            summary = json.dumps(payload, ensure_ascii=False)[:MAX_SUMMARY] if payload else ""
            return e.HandoffRequested(
                *head,
                call_id=call.id,
                target=option.target,
                to_phase=option.phase,
                reason=str(payload.get("reason", ""))[:MAX_SUMMARY],
                summary=summary,
                payload=payload,
            )
        request = HandoffRequest.parse(call.arguments, call.name)
        if isinstance(request, str):
            return request
        seq, at, session_id, run_id, phase, agent_id = head
        return e.HandoffRequested(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            call_id=call.id,
            target=request.target,
            to_phase=request.next_phase,
            reason=request.reason,
            summary=request.summary,
            channel_escalation=request.channel_escalation,
        )

    def _decided(self, step: DecideHandoff, run: RunProgress) -> e.Event:
        """Accept or reject the handoff: by check, filter, limit, cycle, or an earlier handoff."""
        request, prompt = step.request, None
        if run.handoff is not None:
            target = run.handoff.to_agent or HUMAN
            result = self.pipeline.handoffs.judge(
                request.target, request.to_phase, self.conversation.state
            ).refused("handed_over", f"The conversation was handed over to {target}.")
        else:
            result = self.check_handoff(request, run)
            if result.accepted:
                result, prompt = filter_handoff(
                    result, request, self.conversation, self.pipeline, self.filters
                )
        if not result.accepted:
            return self.handoff_rejected(request, result, run.caller)
        return self.handoff_accepted(request, result, run.caller, prompt=prompt)

    def check_handoff(self, request: e.HandoffRequested, run: RunProgress | None) -> HandoffResult:
        """Check a handoff request against the handler, the limit and the cycle rule."""
        return check_handoff(request, run, self.conversation, self.pipeline)

    def resolve_unchecked(self, request: e.HandoffRequested) -> HandoffResult:
        """Resolve a handoff request without the check: every served stage is a valid target."""
        state, pipeline = self.conversation.state, self.pipeline
        anywhere = {state.phase: list(pipeline.stages)}
        handler = replace(pipeline.handoffs, allowed_transitions=anywhere, allow_human=True)
        return handler.judge(request.target, request.to_phase, state)

    def handoff_rejected(
        self, request: e.HandoffRequested, result: HandoffResult, from_agent: str | None
    ) -> e.Event:
        """Return the rejection of a request."""
        return e.HandoffRejected(
            *self.head_of(from_agent),
            call_id=request.call_id,
            target=request.target,
            to_agent=result.to_agent,
            to_phase=result.to_phase or None,
            why=result.why,
            code=result.code,
            reason=request.reason,
            allowed=result.allowed,
            by=request.by,
        )

    def handoff_accepted(
        self,
        request: e.HandoffRequested,
        result: HandoffResult,
        from_agent: str | None,
        *,
        prompt: str | None = None,
        forced: bool = False,
    ) -> e.Event:
        """Return the acceptance of a request."""
        run = self.conversation.run
        seq, at, session_id, run_id, phase, agent_id = self.head_of(from_agent)
        return e.HandoffAccepted(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            call_id=request.call_id,
            from_agent=from_agent,
            to_agent=result.to_agent,
            from_phase=self.conversation.state.phase,
            to_phase=result.to_phase,
            reason=request.reason,
            summary=request.summary,
            hop=run.handoffs + 1 if run else 1,
            hop_limit=self.pipeline.max_handoffs,
            channel_escalation=request.channel_escalation,
            payload=request.payload,
            prompt=prompt,
            by=request.by,
            forced=forced,
        )

    def _entered(self, step: Enter, run: RunProgress) -> e.Event:
        seq, at, session_id, run_id, phase, agent_id = self.head_of(step.agent_id, step.to_phase)
        return e.PhaseChanged(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            from_phase=step.from_phase,
            to_phase=step.to_phase,
            reason=step.reason,
        )

    def _approval_requested(self, step: AskApproval, run: RunProgress) -> e.Event:
        return e.ApprovalRequested(*self.turn_head(run.caller), call=step.call)

    def _refused(self, step: RefuseCallStep, run: RunProgress) -> e.Event:
        call = step.call
        return self.tool_returned(ToolResult(call_id=call.id, name=call.name, error=step.error))

    # End of the run

    def _cycle_detected(self, step: ReportCycle, run: RunProgress) -> e.Event:
        return e.CycleDetected(*self.head(), loop=step.loop)

    def _limit_reached(self, step: StopAtLimit, run: RunProgress) -> e.Event:
        return e.LimitReached(
            *self.head(), resource=step.resource, used=step.used, limit=step.limit
        )

    def _supervision_limited(self, step: EndSupervision, run: RunProgress) -> e.Event:
        return e.SupervisionLimited(*self.head(), used=step.used, limit=step.limit)

    def _finished(self, step: Finish, run: RunProgress) -> e.Event:
        return self.run_completed(run, step.reason)

    def _failed(self, step: Fail, run: RunProgress) -> e.Event:
        return self.run_failed(run, step.error, step.message)

    def run_completed(self, run: RunProgress, reason: e.StopReason, by: str = "") -> e.Event:
        """Return the end of a run; `by` is the person who request it."""
        active = self.conversation.state.active_agent_id
        seq, at, session_id, run_id, phase, agent_id = self.head_of(active)
        return e.RunCompleted(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            reason=reason,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.text_pieces) if run.in_turn else None,
            by=by,
        )

    def run_failed(self, run: RunProgress, error: str, message: str) -> e.Event:
        """Return the end of a run after an error."""
        return e.RunFailed(
            *self.head(),
            error=error,
            message=message or error,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.text_pieces) if run.in_turn else None,
        )

    step_events: ClassVar[Mapping[type[Step], Callable[..., e.Event]]] = {
        Receive: _received,
        TakeAnswer: _answer_taken,
        Route: _routed,
        Enter: _entered,
        AskApproval: _approval_requested,
        RefuseCallStep: _refused,
        RequestHandoff: _requested,
        DecideHandoff: _decided,
        ReportCycle: _cycle_detected,
        StopAtLimit: _limit_reached,
        EndSupervision: _supervision_limited,
        Finish: _finished,
        Fail: _failed,
    }
    """Creates the event of each step that needs no model, no tool and no person."""


SWARM_MARK = "__swarm_"
"""Separator between the session id of a swarm and the name of a peer (contract S-7)."""
