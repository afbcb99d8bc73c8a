"""The events of the steps that wait for nobody: each a function of the fold and a clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

import msgspec

from orchestration import events as e
from orchestration.conversation.compiled import Blueprint
from orchestration.conversation.planner import (
    AskApproval,
    Circle,
    DecideHandoff,
    Enter,
    Fail,
    Finish,
    Receive,
    RefuseCallStep,
    RequestHandoff,
    Route,
    Step,
    StopAtLimit,
    TakeAnswer,
)
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.definition import HUMAN
from orchestration.exceptions import FilterError, SessionError
from orchestration.handoff import (
    MAX_SUMMARY,
    Filter,
    HandoffRequest,
    HandoffResult,
    find_loop,
    handoff_tool_names,
)
from orchestration.messages import InboundMessage, ToolCall, ToolResult, clean
from orchestration.routing import RoutingContext
from orchestration.tools import ToolSpec, read_arguments


class Facts(msgspec.Struct, frozen=True, eq=False):
    """Makes the events of one conversation. It changes nothing: what it makes is to be folded."""

    conversation: ReducedState
    blueprint: Blueprint
    clock: Callable[[], datetime]
    filters: Mapping[tuple[str, str], Filter] = {}
    """The callers' own filters, by the stages that a handoff leads from and to."""

    def head(self) -> e.Head:
        """Return the common fields of an event of the active agent."""
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
        if not self.blueprint.peers:
            return head
        seq, at, session_id, *_ = head
        conversation = self.conversation
        run, count = conversation.run, conversation.state.handoff_count
        if run is not None and (run.asking or run.open_calls):
            count = (
                run.stint
            )  # a handoff of this turn begins the next one's session, not this one's
        return (seq, at, f"{session_id}{SWARM_MARK}{agent_id}_{count}", *head[3:])

    def started(self, run_id: str, message: InboundMessage | None) -> e.Event:
        """The beginning of a run; without a message it goes on where a person gave it back."""
        seq, at, session_id, _, phase, _ = self.head_of(None)
        return e.RunStarted(
            seq, at, session_id, run_id, phase, message=message, goes_on=message is None
        )

    def of(self, step: Step, run: RunProgress) -> e.Event | None:
        """The event of a step that is one event; None where others are to be waited for."""
        made = self.of_a_step.get(type(step))
        return made and made(self, step, run)

    def returned(self, result: ToolResult) -> e.Event:
        """A call's result."""
        run = self.conversation.run
        return e.ToolReturned(*self.turn_head(run.caller if run else None), result=result)

    # A run's first steps

    def _received(self, step: Receive, run: RunProgress) -> e.Event:
        if run.announced is None:
            return self.failed(run, "SessionError", "The run's message was not recorded.")
        return e.MessageReceived(*self.head_of(None), message=run.announced)

    def _answer_taken(self, step: TakeAnswer, run: RunProgress) -> e.Event:
        text = run.announced.text if run.announced else ""
        return e.InputReceived(*self.head(), call_id=step.request.call_id, text=text)

    def _routed(self, step: Route, run: RunProgress) -> e.Event:
        message = run.announced
        conversation = self.conversation
        if run.given_back:
            reason = "The conversation was given back."
            agent_id = conversation.state.active_agent_id
            return e.MessageRouted(*self.head_of(agent_id), by="affinity", reason=reason)
        if message is None:
            raise SessionError("A message is routed after it was received.")
        if run.goes_on is not None:
            reason = f"{run.goes_on} asked the user, and goes on."
            return e.MessageRouted(*self.head_of(run.goes_on), by="affinity", reason=reason)
        context = RoutingContext(conversation.id, run.began)
        decision = self.blueprint.router.select(message, conversation.state, context)
        for rule_id, error in decision.failures:
            if rule_id not in run.failed_rules:
                return e.RoutingFailed(*self.head(), rule_id=rule_id, error=error)
        return e.MessageRouted(
            *self.head_of(decision.agent_id),
            by=decision.by,
            rule_id=decision.rule_id,
            reason=decision.reason,
            observers=decision.observers,
        )

    # Handoffs

    def _requested(self, step: RequestHandoff, run: RunProgress) -> e.Event:
        """A readable request, an error for the model, or the remark that it was made before."""
        call = step.call
        if step.by_name:  # an answer that names its target and says nothing else (contract H-4)
            return e.HandoffRequested(
                *self.head_of(run.caller), call_id="", target=call.name, reason="", summary=""
            )
        offered = self.blueprint.offer(run.asked_in, run.caller or "").by_name
        request = self._read(call, offered[call.name], run)
        if isinstance(request, str):
            return self.returned(ToolResult(call_id=call.id, name=call.name, error=request))
        won = run.won
        if won and (won.target, won.to_phase) == (request.target, request.to_phase):
            content = "The same handoff was made already."
            return self.returned(ToolResult(call_id=call.id, name=call.name, content=content))
        return request

    def _read(self, call: ToolCall, spec: ToolSpec, run: RunProgress) -> e.HandoffRequested | str:
        """Parse a handoff call; return a sentence if its arguments are wrong."""
        head = self.head_of(run.caller)
        if spec.kind == "transfer":
            way = spec.options[0]
            payload = read_arguments(call)
            if isinstance(payload, str):
                return payload
            if faults := self.blueprint.faults(run.asked_in, way.phase, payload):
                return f"The arguments of {call.name} are wrong: {'; '.join(faults)}"
            summary = json.dumps(payload, ensure_ascii=False)[:MAX_SUMMARY] if payload else ""
            return e.HandoffRequested(
                *head,
                call_id=call.id,
                target=way.target,
                to_phase=way.phase,
                reason=str(payload.get("reason", ""))[:MAX_SUMMARY],
                summary=summary,
                payload=payload,
            )
        request = HandoffRequest.parse(call.arguments, call.name)
        if isinstance(request, str):
            return request
        return e.HandoffRequested(
            *head,
            call_id=call.id,
            target=request.target,
            to_phase=request.next_phase,
            reason=request.reason,
            summary=request.summary,
            channel_escalation=request.channel_escalation,
        )

    def _decided(self, step: DecideHandoff, run: RunProgress) -> e.Event:
        """Accepted or rejected: by the handler, a limit, a circle, or an earlier handoff."""
        requested, prompt = step.request, None
        if run.winner is not None:
            to = run.winner.to_agent or HUMAN
            result = self.blueprint.handoffs.judge(
                requested.target, requested.to_phase, self.conversation.state
            ).refused("handed_over", f"The conversation was handed over to {to}.")
        else:
            result = self.judged(requested, run)
            if result.accepted:
                result, prompt = self._filtered(result, requested)
        if not result.accepted:
            return self.rejected(requested, result, run.caller)
        return self.accepted(requested, result, run.caller, prompt=prompt)

    def judged(self, requested: e.HandoffRequested, run: RunProgress | None) -> HandoffResult:
        """Check a handoff request against the handler, the limit and the cycle rule."""
        state = self.conversation.state
        result = self.blueprint.handoffs.judge(requested.target, requested.to_phase, state)
        if not result.accepted:
            return result
        result = self._told(result, requested)
        return result if run is None else self._bounded(result, run)

    def led(self, requested: e.HandoffRequested) -> HandoffResult:
        """Resolve a handoff request without the check: any served stage is a valid target."""
        state, blueprint = self.conversation.state, self.blueprint
        anywhere = {state.phase: list(blueprint.stages)}
        handler = replace(blueprint.handoffs, allowed_transitions=anywhere, allow_human=True)
        return handler.judge(requested.target, requested.to_phase, state)

    def rejected(
        self, requested: e.HandoffRequested, result: HandoffResult, asked_by: str | None
    ) -> e.Event:
        """The refusal of a request; it changes nothing."""
        return e.HandoffRejected(
            *self.head_of(asked_by),
            call_id=requested.call_id,
            target=requested.target,
            to_agent=result.to_agent,
            to_phase=result.to_phase or None,
            why=result.why,
            code=result.code,
            reason=requested.reason,
            allowed=result.allowed,
            by=requested.by,
        )

    def accepted(
        self,
        requested: e.HandoffRequested,
        result: HandoffResult,
        from_agent: str | None,
        *,
        prompt: str | None = None,
        forced: bool = False,
    ) -> e.Event:
        """The handoff that a request brought about."""
        run = self.conversation.run
        return e.HandoffAccepted(
            *self.head_of(from_agent),
            call_id=requested.call_id,
            from_agent=from_agent,
            to_agent=result.to_agent,
            from_phase=self.conversation.state.phase,
            to_phase=result.to_phase,
            reason=requested.reason,
            summary=requested.summary,
            hop=run.handoffs + 1 if run else 1,
            hop_limit=self.blueprint.definition.limits.max_handoffs,
            channel_escalation=requested.channel_escalation,
            payload=requested.payload,
            prompt=prompt,
            by=requested.by,
            forced=forced,
        )

    def _told(self, result: HandoffResult, requested: e.HandoffRequested) -> HandoffResult:
        """The same result, unless the target needs to be told what only its own tool takes."""
        source, target = self.conversation.state.phase, result.to_phase
        if requested.payload is not None or not self.blueprint.faults(source, target, {}):
            return result
        tool = handoff_tool_names(source, self.blueprint.definition)[target]
        why = f"{result.to_agent} needs to be told more: call {tool}."
        return result.refused("not_allowed", why)

    def _bounded(self, result: HandoffResult, run: RunProgress) -> HandoffResult:
        """Return the result, or a refusal at the handoff limit or in a cycle (contract S-5)."""
        if not result.accepted:
            return result
        limits = self.blueprint.definition.limits
        requested = limits.count_handoffs == "requested"
        if (run.requests if requested else run.handoffs + 1) > limits.max_handoffs - requested:
            what = "requests for a handoff" if requested else "handoffs"
            return result.refused("limit", f"This run has had its {limits.max_handoffs} {what}.")
        loop = self.blueprint.detects_cycles and find_loop([*run.path, result.to_agent or ""])
        if loop:
            circle = " → ".join([*loop, loop[0]])
            return result.refused("cycle", f"The handoffs go in a circle: {circle}.")
        return result

    def _filtered(
        self, result: HandoffResult, requested: e.HandoffRequested
    ) -> tuple[HandoffResult, str | None]:
        """Try the transition's filter: a failure refuses the handoff (contract S-4)."""
        conversation, target = self.conversation, result.to_agent
        state = conversation.state
        source, to_phase = state.phase, result.to_phase
        own = self.filters.get((source, to_phase))
        if own is not None:
            try:
                said = [_said(one.agent_id, one.text) for one in conversation.history if one.text]
                prompt = own(said, requested.payload)
            except FilterError as error:
                return result.refused("filter_failed", str(error)), None
            except Exception as error:  # noqa: BLE001 - a filter is not ours: its error refuses
                why = f"The filter of this handoff failed: {type(error).__name__}: {error}"
                return result.refused("filter_failed", why), None
            if prompt is not None:
                return result, clean(str(prompt))
        declared = self.blueprint.filters.get((source, to_phase))
        if target is not None and declared is not None:
            try:
                declared.kept(conversation.view(target).messages, requested.payload, state)
            except FilterError as error:
                why = f"The filter of this handoff failed: {error}"
                return result.refused("filter_failed", why), None
        return result, None

    def _entered(self, step: Enter, run: RunProgress) -> e.Event:
        return e.PhaseChanged(
            *self.head_of(step.agent_id, step.to_phase),
            from_phase=step.from_phase,
            to_phase=step.to_phase,
            reason=step.reason,
        )

    def _approval_asked(self, step: AskApproval, run: RunProgress) -> e.Event:
        return e.ApprovalRequested(*self.turn_head(run.caller), call=step.call)

    def _refused(self, step: RefuseCallStep, run: RunProgress) -> e.Event:
        call = step.call
        return self.returned(ToolResult(call_id=call.id, name=call.name, error=step.error))

    # Ends

    def _circled(self, step: Circle, run: RunProgress) -> e.Event:
        return e.CycleDetected(*self.head(), loop=step.loop)

    def _stopped(self, step: StopAtLimit, run: RunProgress) -> e.Event:
        return e.LimitReached(
            *self.head(), resource=step.resource, used=step.used, limit=step.limit
        )

    def _finished(self, step: Finish, run: RunProgress) -> e.Event:
        return self.completed(run, step.reason)

    def _failed(self, step: Fail, run: RunProgress) -> e.Event:
        return self.failed(run, step.error, step.message)

    def completed(self, run: RunProgress, reason: e.StopReason, by: str = "") -> e.Event:
        """The end of a run, and who asked for it."""
        return e.RunCompleted(
            *self.head(),
            reason=reason,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.spoken) if run.asking else None,
            by=by,
        )

    def failed(self, run: RunProgress, error: str, message: str) -> e.Event:
        """The end of a run on an error."""
        return e.RunFailed(
            *self.head(),
            error=error,
            message=message or error,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.spoken) if run.asking else None,
        )

    of_a_step: ClassVar[Mapping[type[Step], Callable[..., e.Event]]] = {
        Receive: _received,
        TakeAnswer: _answer_taken,
        Route: _routed,
        Enter: _entered,
        AskApproval: _approval_asked,
        RefuseCallStep: _refused,
        RequestHandoff: _requested,
        DecideHandoff: _decided,
        Circle: _circled,
        StopAtLimit: _stopped,
        Finish: _finished,
        Fail: _failed,
    }
    """Functions that create the event of each step that needs no waiting."""


SWARM_MARK = "__swarm_"
"""Separator between a swarm's session id and the name of a peer (contract S-7)."""


def _said(agent_id: str | None, text: str) -> str:
    return f"[{agent_id}]: {text}" if agent_id else text
