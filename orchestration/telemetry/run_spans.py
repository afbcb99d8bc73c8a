"""Construction of the spans of one run."""

from __future__ import annotations

import json
from datetime import timedelta

from orchestration import events as e
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.messages import Ending
from orchestration.telemetry import names
from orchestration.telemetry.trace_span import Attribute, TraceSpan

FINISH_REASONS: dict[Ending, str] = {
    "stop": "stop",
    "length": "length",
    "filtered": "content_filter",
    "refused": "refusal",
}

Step = tuple[str, ...]
"""Kind and identity of a step: `("call", session id, call id)`."""

NO_OPERATION = {names.PAUSE}
"""Names of spans that are no operation of the conventions."""


class RunSpans:
    """Spans of a run, in the order of their starts."""

    def __init__(
        self,
        started: e.RunStarted,
        definition: PipelineDefinition,
        attributes: dict[str, Attribute],
        *,
        with_content: bool,
    ) -> None:
        self.started, self._definition, self._with_content = started, definition, with_content
        self._open: dict[Step, TraceSpan] = {}
        """Spans that have not ended, by the step that ends them."""
        self._tools: dict[tuple[str, str], str] = {}
        """Names of the requested tools by session id and call id."""
        self.spans: list[TraceSpan] = []
        root = self._begin(
            ("run", started.session_id), None, names.INVOKE_WORKFLOW, definition.name, started
        )
        root.attributes |= {names.AGENT_NAME: definition.name, names.RUN: started.run_id}
        root.attributes |= attributes

    def add(self, event: e.Event) -> None:  # noqa: C901 - one case for each event
        """Begin or end spans by an event."""
        match event:
            case e.MessageReceived():
                text = _messages("user", event.message.text)
                self._set_content(self._scope(event), names.INPUT_MESSAGES, text)
            case e.TurnStarted():
                self._begin_turn(event)
            case e.TurnRetried():
                self._retry(event)
            case e.MessageCompleted():
                self._end_chat(event)
            case e.ToolCalled():
                self._begin_tool(event)
            case e.ToolReturned(result=result):
                self._end_tool(event, result.call_id, result.error, result.content)
            case e.InputReceived():
                self._end_tool(event, event.call_id, None, event.text)
            case e.SubtaskStarted():
                self._begin_subtask(event)
            case e.SubtaskCompleted():
                error = "task_error" if event.error else ""
                self._end(("run", event.task_id), event, error=error)
            case e.HandoffRequested():
                self._begin_handoff(event, event.call_id, event.target)
            case e.HandoffAccepted():
                self._accept_handoff(event)
            case e.HandoffRejected():
                self._reject_handoff(event)
            case e.RunPaused():
                pause = self._begin(
                    ("pause", event.session_id), self._scope(event), names.PAUSE, "", event
                )
                pause.attributes[names.PAUSE_REASON] = event.why
            case e.RunResumed():
                self._end(("pause", event.session_id), event)
            case e.RunCompleted() | e.RunFailed():
                self._end_run(event)

    # Turns

    def _begin_turn(self, event: e.TurnStarted) -> None:
        self._end(_turn(event), event)
        agent = self._definition.agents_by_id.get(event.agent_id or "")
        name = agent.name if agent else event.agent_id or ""
        scope = self._scope(event)
        span = self._begin(_turn(event), scope, names.INVOKE_AGENT, name, event)
        span.attributes |= {names.AGENT_NAME: name, names.PHASE: event.phase}
        self._begin_chat(event, event.provider, event.model)

    def _begin_chat(self, event: e.Event, provider: str, model: str) -> TraceSpan:
        span = self._begin(_chat(event), self._parent(event), names.CHAT, model, event)
        span.kind = "client"
        span.attributes |= {names.PROVIDER: provider, names.REQUEST_MODEL: model}
        return span

    def _retry(self, event: e.TurnRetried) -> None:
        failed = self._end(_chat(event), event, error=event.error)
        if failed is not None:
            provider = event.provider or str(failed.attributes[names.PROVIDER])
            model = event.model or str(failed.attributes[names.REQUEST_MODEL])
            again = self._begin_chat(event, provider, model)
            again.start = event.at + timedelta(seconds=event.wait)

    def _end_chat(self, event: e.MessageCompleted) -> None:
        for call in event.tool_calls:
            self._tools[event.session_id, call.id] = call.name
        chat = self._end(_chat(event), event)
        if chat is None:
            return
        is_call = event.ending == "stop" and bool(event.tool_calls)
        chat.attributes |= {
            names.FINISH_REASONS: ("tool_calls" if is_call else FINISH_REASONS[event.ending],),
            names.INPUT_TOKENS: event.usage.input_tokens,
            names.OUTPUT_TOKENS: event.usage.output_tokens,
        }
        self._set_content(chat, names.OUTPUT_MESSAGES, _messages("assistant", event.text))

    # Tools and subtasks

    def _begin_tool(self, event: e.ToolCalled) -> None:
        call, parent = event.call, self._parent(event)
        span = self._begin(_call(event, call.id), parent, names.EXECUTE_TOOL, call.name, event)
        span.attributes |= {names.TOOL_NAME: call.name, names.TOOL_CALL_ID: call.id}
        self._set_content(span, names.TOOL_ARGUMENTS, call.arguments)

    def _end_tool(self, event: e.Event, call_id: str, error: str | None, result: str) -> None:
        reason = "tool_error" if error is not None else ""
        if span := self._end(_call(event, call_id), event, error=reason):
            self._set_content(span, names.TOOL_RESULT, result if error is None else error)

    def _begin_subtask(self, event: e.SubtaskStarted) -> None:
        caller = self._open.get(_call(event, event.call_id or ""))
        parent = caller or self._parent(event)
        step = "run", event.task_id
        span = self._begin(step, parent, names.INVOKE_WORKFLOW, event.title, event)
        span.attributes |= {names.AGENT_NAME: event.title, names.TASK_KIND: event.kind}
        if caller is not None:
            caller.attributes |= {
                names.TRANSFER_MODE: names.RETURN_TO_CALLER,
                names.TRANSFER_TARGET: event.title,
            }

    # Handoffs

    def _begin_handoff(self, event: e.Event, call_id: str, target: str) -> TraceSpan:
        tool = self._tools.get((event.session_id, call_id), "handoff")
        step, subject = _handoff(event, call_id), f"{tool} {target}"
        span = self._begin(step, self._parent(event), names.EXECUTE_TOOL, subject, event)
        span.attributes |= {
            names.TOOL_NAME: tool,
            names.TRANSFER_MODE: names.PASS_CONTROL,
            names.TRANSFER_TARGET: target,
        }
        if call_id:
            span.attributes[names.TOOL_CALL_ID] = call_id
        return span

    def _accept_handoff(self, event: e.HandoffAccepted) -> None:
        target = event.to_agent or HUMAN
        span = self._handoff_of(event, event.call_id, target)
        span.attributes |= {
            names.TRANSFER_TARGET: target,
            names.TRANSFER_TARGET_TYPE: "agent" if event.to_agent else "human",
            names.PHASE: event.from_phase,
            names.TARGET_PHASE: event.to_phase,
        }
        for transition in self._definition.transitions_from.get(event.from_phase, ()):
            if transition.target == event.to_phase:
                span.attributes[names.TRANSITION_KIND] = transition.kind
        self._end(_handoff(event, event.call_id), event)

    def _reject_handoff(self, event: e.HandoffRejected) -> None:
        span = self._handoff_of(event, event.call_id, event.target)
        span.attributes[names.PHASE] = event.phase
        if event.to_agent:
            span.attributes[names.TRANSFER_TARGET] = event.to_agent
        self._end(_handoff(event, event.call_id), event, error=event.code)

    def _handoff_of(self, event: e.Event, call_id: str, target: str) -> TraceSpan:
        """Return the span of a requested handoff; begin it if there was no request."""
        span = self._open.get(_handoff(event, call_id))
        return span or self._begin_handoff(event, call_id, target)

    # Runs

    def _end_run(self, event: e.RunCompleted | e.RunFailed) -> None:
        """End a run; a subtask's span ends with the completion of the subtask."""
        reason, error = e.StopReason.FAILED, ""
        match event:
            case e.RunCompleted():
                reason = event.reason
            case e.RunFailed():
                error = event.error
        self._scope(event).attributes[names.STOP_REASON] = reason.value
        self._end(_turn(event), event)
        if event.session_id == self.started.session_id:
            self._end(("run", event.session_id), event, error=error)

    # Spans

    def _begin(
        self, step: Step, parent: TraceSpan | None, operation: str, subject: str, event: e.Event
    ) -> TraceSpan:
        key = f"{event.seq} {operation}"  # one event begins at most one span of an operation
        name = f"{operation} {subject}".strip()
        span = TraceSpan(key, parent.key if parent else None, name, event.at)
        if operation not in NO_OPERATION:
            span.attributes[names.OPERATION] = operation
        self._open[step] = span
        self.spans.append(span)
        return span

    def _end(self, step: Step, event: e.Event, *, error: str = "") -> TraceSpan | None:
        """End an open span, and all spans that it still contains as unfinished."""
        span = self._open.pop(step, None)
        if span is None:
            return None
        span.end, span.error = max(event.at, span.start), error
        for inner, child in list(self._open.items()):
            if child.parent == span.key:
                child.attributes[names.UNFINISHED] = True
                self._end(inner, event)
        return span

    def _scope(self, event: e.Event) -> TraceSpan:
        """Return the span of the run or subtask of an event."""
        return self._open.get(("run", event.session_id)) or self.spans[0]

    def _parent(self, event: e.Event) -> TraceSpan:
        """Return the span of the current turn, or of the run without one."""
        return self._open.get(_turn(event)) or self._scope(event)

    def _set_content(self, span: TraceSpan, name: str, text: str) -> None:
        if self._with_content:
            span.attributes[name] = text


def _messages(role: str, text: str) -> str:
    """Return a message in the JSON form of the conventions."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _turn(event: e.Event) -> Step:
    return "turn", event.session_id


def _chat(event: e.Event) -> Step:
    return "chat", event.session_id


def _call(event: e.Event, call_id: str) -> Step:
    return "call", event.session_id, call_id


def _handoff(event: e.Event, call_id: str) -> Step:
    return "handoff", event.session_id, call_id
