"""Events of a run: messages, turns, tools, subtasks, handoffs, limits, and its end."""

from __future__ import annotations

from typing import Any, Literal

from orchestration.events.fact import Channel, Fact, StopReason, TaskKind, TurnFact
from orchestration.messages import (
    Ending,
    InboundMessage,
    ProviderState,
    SubtaskRequest,
    ToolCall,
    ToolResult,
    Usage,
)


class RunStarted(Fact, frozen=True, kw_only=True, tag="run.started"):
    """A user message set the engine going."""

    message: InboundMessage | None = None
    """The message that started the run, so that an interrupted run can continue; None in a
    hand-written trace.
    """
    goes_on: bool = False
    """No message set it going: a person gave the conversation back, and the agent goes on."""


class MessageReceived(Fact, frozen=True, kw_only=True, tag="message.received"):
    """The user's message came in."""

    message: InboundMessage


class MessageRouted(Fact, frozen=True, kw_only=True, tag="message.routed"):
    """The router chose who answers (contract O-3); `agent_id` is the chosen one."""

    by: Literal["affinity", "rule", "default", "human", "nobody"]
    rule_id: str | None = None
    reason: str
    observers: tuple[str, ...] = ()
    """Additional receivers: the supervisor (contract O-5)."""


class RoutingFailed(Fact, frozen=True, kw_only=True, tag="routing.failed"):
    """A rule's condition could not be evaluated; the rule was passed over (contract O-4)."""

    rule_id: str
    error: str


class TurnStarted(TurnFact, frozen=True, kw_only=True, tag="turn.started"):
    """The model was asked."""

    provider: str
    model: str
    context_tokens: int
    """Estimated tokens of all that was sent."""
    tools: tuple[str, ...] = ()
    """Names of the tools offered."""

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model that are asked."""
        return (self.provider, self.model) if self.model else None


class TurnRetried(TurnFact, frozen=True, kw_only=True, tag="turn.retried"):
    """The model failed, and will be asked again, or the agent's fallback in its place."""

    attempt: int
    """Number of the failed attempt, from 1."""
    of: int
    """Maximum number of attempts."""
    error: str
    """The kind of error, as its class is named."""
    message: str
    wait: float
    """Seconds from this event until the next try."""
    shown: bool = False
    """True if a part of the answer was shown, which is void now."""
    provider: str = ""
    """The next provider, if it is another one: the agent's fallback."""
    model: str = ""
    """The model of theirs that is asked."""

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model that are asked."""
        return (self.provider, self.model) if self.model else None

    @property
    def voids_answer(self) -> bool:
        """True if a part of the answer was shown."""
        return self.shown


class MessageDelta(TurnFact, frozen=True, kw_only=True, tag="message.delta"):
    """A piece of the answer as it streams. Never recorded."""

    offset: int
    """Start of the piece, in characters of the answer so far."""
    text: str


class MessageCompleted(TurnFact, frozen=True, kw_only=True, tag="message.completed"):
    """The model's answer to one turn: text, tool calls, or both."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    kept: ProviderState | None = None
    """Data that the vendor expects back with the answer."""
    ending: Ending = "stop"
    """Completeness of the answer, and the reason if it is incomplete."""
    request_id: str | None = None
    """The vendor's id of the request."""
    usage: Usage
    channel: str = "same"
    """Channel of the answer, as requested by the last handoff (contract O-14)."""


class ToolCalled(Fact, frozen=True, kw_only=True, tag="tool.called"):
    """A tool was set going."""

    call: ToolCall


class ToolReturned(Fact, frozen=True, kw_only=True, tag="tool.returned"):
    """A tool gave its result or its error."""

    result: ToolResult


class InputRequested(Fact, frozen=True, kw_only=True, tag="input.requested"):
    """A tool asks the user; the run pauses until the answer is there (contract T-10)."""

    call_id: str
    question: str


class InputReceived(Fact, frozen=True, kw_only=True, tag="input.received"):
    """The user answered what a tool asked; the answer is the call's result."""

    call_id: str
    text: str


class SubtaskStarted(Fact, frozen=True, kw_only=True, tag="subtask.started"):
    """A conversation within the conversation began.

    Its own events follow in this trace, from `run.started` to the end of its run, with `task_id` as
    their `session_id`.
    """

    task_id: str
    kind: TaskKind
    """A member of a group answers, a lead delegates, or a tool has another pipeline do it."""
    title: str
    """Name of the executor: an agent's id, a stage's phase, or a pipeline's name."""
    call_id: str | None = None
    """The call it answers, where one asked for it."""
    input: str
    """Input of the subtask: its first message."""
    request: SubtaskRequest | None = None
    """Request of a subtask tool."""


class SubtaskCompleted(Fact, frozen=True, kw_only=True, tag="subtask.completed"):
    """A subtask ended with its output or its error; `usage` adds up into this run."""

    task_id: str
    kind: TaskKind
    title: str
    call_id: str | None = None
    output: str = ""
    """Its last answer."""
    error: str | None = None
    usage: Usage


class HandoffRequested(Fact, frozen=True, kw_only=True, tag="handoff.requested"):
    """An agent, or a person, asked to hand the conversation over."""

    call_id: str
    """The model's call; empty where it was none."""
    target: str
    """As the model wrote it: an agent's id, an alias, `human`."""
    to_phase: str | None = None
    """The phase the model asked for, if it did."""
    reason: str
    summary: str
    channel_escalation: Channel = "same"
    payload: dict[str, Any] | None = None
    """Payload of a typed handoff, by its schema (contract S-3)."""
    by: str = ""
    """The person who asked; empty: the agent."""
    command_id: str = ""


class HandoffAccepted(Fact, frozen=True, kw_only=True, tag="handoff.accepted"):
    """The conversation passed to another agent, or to the human (`to_agent` is None)."""

    call_id: str
    from_agent: str | None
    to_agent: str | None
    from_phase: str
    to_phase: str
    reason: str
    summary: str
    hop: int
    """Number of the handoff within the run, from 1."""
    hop_limit: int
    channel_escalation: Channel = "same"
    payload: dict[str, Any] | None = None
    """Payload of a typed handoff."""
    prompt: str | None = None
    """All that the target is shown of what was before, where a filter of the caller's own chose."""
    by: str = ""
    """The person who brought it about; empty: the agent."""
    forced: bool = False
    """The person knew that the check would refuse it, and went past it."""


class HandoffRejected(Fact, frozen=True, kw_only=True, tag="handoff.rejected"):
    """A handoff was refused; it changed nothing (contract O-7)."""

    call_id: str
    target: str
    to_agent: str | None = None
    """The agent the target was taken for, where there is one."""
    to_phase: str | None = None
    """The phase the handoff would have led to, where that is known."""
    why: str
    """The refusal, in words the model can act on."""
    code: Literal[
        "unknown_target",
        "not_allowed",
        "ambiguous",
        "not_serving",
        "handed_over",
        "filter_failed",
        "limit",
        "cycle",
    ] = "not_allowed"
    """The kind of refusal. After `limit` and `cycle` the run ends."""
    reason: str = ""
    """The agent's reason for the request."""
    allowed: tuple[str, ...] = ()
    """The targets that would have been accepted."""
    by: str = ""
    """The person who asked; empty: the agent."""


class CycleDetected(Fact, frozen=True, kw_only=True, tag="cycle.detected"):
    """The handoffs of the run went in a circle (contract S-5); `run.completed` follows."""

    loop: tuple[str, ...]
    """The agents of the circle, in order."""


class PhaseChanged(Fact, frozen=True, kw_only=True, tag="phase.changed"):
    """The conversation entered another stage: `phase`, and `agent_id` serves it."""

    from_phase: str
    to_phase: str
    reason: str


class ContextWarned(Fact, frozen=True, kw_only=True, tag="context.warned"):
    """Four fifths of the context are used: once per crossing (contract T-5)."""

    used: int
    limit: int


class LimitReached(Fact, frozen=True, kw_only=True, tag="limit.reached"):
    """A limit barred the next step; `run.completed` follows."""

    resource: Literal["turns", "handoffs", "context"]
    used: int
    limit: int


class HookFailed(Fact, frozen=True, kw_only=True, tag="hook.failed"):
    """A listener raised; it harmed nothing (contract O-13)."""

    trigger: str
    error: str


class RunCompleted(Fact, frozen=True, kw_only=True, tag="run.completed"):
    """The run ended, and why."""

    reason: StopReason
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """The part of the answer said before the end; None if no answer was in progress."""
    by: str = ""
    """Name of the person who ended the run; empty if unknown or nobody."""


class RunFailed(Fact, frozen=True, kw_only=True, tag="run.failed"):
    """The run ended on an error nobody could correct. The conversation can go on."""

    error: str
    """The kind of error, as its class is named."""
    message: str
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """The part of the answer said before the end; None if no answer was in progress."""
    by: str = ""
    """Name of the person who ended the run; empty if unknown or nobody."""
