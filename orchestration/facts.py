"""The events of the steps that wait for nobody: each a function of the fold and a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from orchestration import events as e
from orchestration.definition import HUMAN
from orchestration.engine import (
    Blueprint,
    CallModel,
    CallTools,
    DecideHandoff,
    Enter,
    Fail,
    Finish,
    Receive,
    RequestHandoff,
    Route,
    Step,
    Stop,
)
from orchestration.exceptions import SessionError
from orchestration.fold import Conversation, Run
from orchestration.handoff import HandoffRequest
from orchestration.messages import ToolCall, ToolResult
from orchestration.routing import RoutingContext


@dataclass(frozen=True, slots=True)
class Facts:
    """Makes the events of one session. It changes nothing: what it makes is still to be folded."""

    session_id: str
    conversation: Conversation
    blueprint: Blueprint
    clock: Callable[[], datetime]

    def head(self, agent_id: str | None = None) -> dict[str, Any]:
        """What every event carries."""
        conversation = self.conversation
        return {
            "seq": conversation.seq + 1,
            "at": self.clock(),
            "session_id": self.session_id,
            "run_id": conversation.run.id if conversation.run else "",
            "phase": conversation.state.phase,
            "agent_id": agent_id or conversation.state.active_agent_id,
        }

    def of(self, step: Step, run: Run) -> e.Event:
        """The event of a step that is one event."""
        match step:
            case Receive():
                return self._received(run)
            case Route():
                return self._routed(run)
            case Enter(from_phase, to_phase, reason):
                head = self.head() | {"phase": to_phase}
                return e.PhaseChanged(
                    **head, from_phase=from_phase, to_phase=to_phase, reason=reason
                )
            case RequestHandoff(call):
                return self._requested(call, run)
            case DecideHandoff(request):
                return self._decided(request, run)
            case Stop(resource, used, limit):
                return e.LimitReached(**self.head(), resource=resource, used=used, limit=limit)
            case Finish(reason):
                return self.completed(run, reason)
            case Fail(error, message):
                return self.failed(run, error, message)
            case CallModel() | CallTools():
                raise AssertionError(step)
            case _:
                assert_never(step)

    # A run's first steps

    def _received(self, run: Run) -> e.Event:
        if run.announced is None:
            return self.failed(run, "SessionError", "The run's message was not recorded.")
        head = self.head() | {"agent_id": None}
        return e.MessageReceived(**head, message=run.announced)

    def _routed(self, run: Run) -> e.Event:
        message = run.announced
        if message is None:
            raise SessionError("A message is routed after it was received.")
        conversation = self.conversation
        context = RoutingContext(self.session_id, len(conversation.history) - 1)
        decision = self.blueprint.router.select(message, conversation.state, context)
        for rule_id, error in decision.failures:
            if rule_id not in run.failed_rules:
                return e.RoutingFailed(**self.head(), rule_id=rule_id, error=error)
        return e.MessageRouted(
            **self.head() | {"agent_id": decision.agent_id},
            by=decision.by,
            rule_id=decision.rule_id,
            reason=decision.reason,
            observers=decision.observers,
        )

    # Handoffs

    def _requested(self, call: ToolCall, run: Run) -> e.Event:
        """A readable request, an error for the model, or the remark that it was made before."""
        request = HandoffRequest.parse(call.arguments)
        head = self.head(run.caller)
        if isinstance(request, str):
            result = ToolResult(call_id=call.id, name=call.name, error=request)
            return e.ToolReturned(**head, result=result)
        if run.winner is not None and _same(request, run.winner[0]):
            content = "The same handoff was made already."
            result = ToolResult(call_id=call.id, name=call.name, content=content)
            return e.ToolReturned(**head, result=result)
        return e.HandoffRequested(
            **head,
            call_id=call.id,
            target=request.target,
            to_phase=request.next_phase,
            reason=request.reason,
            summary=request.summary,
            channel_escalation=request.channel_escalation,
        )

    def _decided(self, requested: e.HandoffRequested, run: Run) -> e.Event:
        """Accepted or rejected: by the handler, the run's limit, or an earlier handoff."""
        limit = self.blueprint.definition.limits.max_handoffs
        result = self.blueprint.handoffs.decide(_request_of(requested), self.conversation.state)
        if run.winner is not None:
            to = run.winner[1].to_agent or HUMAN
            result = result.refused("handed_over", f"The conversation was handed over to {to}.")
        elif result.accepted and run.handoffs >= limit:
            result = result.refused("limit", f"This run has had its {limit} handoffs.")
        head = self.head(run.caller)
        if not result.accepted or result.to_phase is None:
            return e.HandoffRejected(
                **head,
                call_id=requested.call_id,
                target=requested.target,
                to_agent=result.to_agent,
                to_phase=result.to_phase,
                why=result.why,
                code=result.code,
                reason=requested.reason,
                allowed=result.allowed,
            )
        return e.HandoffAccepted(
            **head,
            call_id=requested.call_id,
            from_agent=run.caller,
            to_agent=result.to_agent,
            from_phase=self.conversation.state.phase,
            to_phase=result.to_phase,
            reason=requested.reason,
            summary=requested.summary,
            hop=run.handoffs + 1,
            hop_limit=limit,
            channel_escalation=requested.channel_escalation,
        )

    # Ends

    def completed(self, run: Run, reason: e.StopReason) -> e.Event:
        """The end of a run."""
        return e.RunCompleted(
            **self.head(),
            reason=reason,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.spoken) if run.asking else None,
        )

    def failed(self, run: Run, error: str, message: str) -> e.Event:
        """The end of a run on an error."""
        return e.RunFailed(
            **self.head(),
            error=error,
            message=message or error,
            usage=run.usage,
            turns=run.turns,
            handoffs=run.handoffs,
            cut_off="".join(run.spoken) if run.asking else None,
        )


def _request_of(event: e.HandoffRequested) -> HandoffRequest:
    return HandoffRequest.model_validate(
        {
            "target": event.target,
            "reason": event.reason,
            "summary": event.summary,
            "next_phase": event.to_phase,
            "channel_escalation": event.channel_escalation,
        }
    )


def _same(request: HandoffRequest, before: e.HandoffRequested) -> bool:
    """Whether two requests lead to the same place."""
    return (request.target, request.next_phase) == (before.target, before.to_phase)
