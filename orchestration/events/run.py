"""Events of a run: messages, turns, tools, subtasks, handoffs, limits, and its end."""

from __future__ import annotations

from typing import Any, Literal

from orchestration.definition import SupervisionPoint
from orchestration.events.event_base import (
    Channel,
    EventBase,
    ModelCallEvent,
    Resource,
    StopReason,
    TaskKind,
    TurnEvent,
)
from orchestration.messages import (
    Ending,
    InboundMessage,
    ProviderState,
    SubtaskRequest,
    ToolCall,
    ToolResult,
    Usage,
)


class RunStarted(EventBase, frozen=True, kw_only=True, tag="run.started"):
    """A run started."""

    message: InboundMessage | None = None
    """The message that started the run, so that an interrupted run can continue; None in a
    hand-written trace.
    """
    goes_on: bool = False
    """True if the run started without a message, after a person handed back to an agent."""


class MessageReceived(EventBase, frozen=True, kw_only=True, tag="message.received"):
    """A message of the user arrived."""

    message: InboundMessage


class MessageRouted(EventBase, frozen=True, kw_only=True, tag="message.routed"):
    """The router selected the agent that answers, `agent_id` (contract O-3)."""

    by: Literal["affinity", "rule", "default", "human", "nobody", "start"]
    rule_id: str | None = None
    reason: str
    observers: tuple[str, ...] = ()
    """Additional receivers: the supervisor (contract O-5)."""


class RoutingFailed(EventBase, frozen=True, kw_only=True, tag="routing.failed"):
    """The condition of a rule failed, so the rule was skipped (contract O-4)."""

    rule_id: str
    error: str


class TurnStarted(ModelCallEvent, frozen=True, kw_only=True, tag="turn.started"):
    """A model was called."""

    provider: str
    model: str
    context_tokens: int
    """Estimated tokens of the request."""
    tools: tuple[str, ...] = ()
    """Names of the available tools."""

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model of the call."""
        return (self.provider, self.model) if self.model else None


class TurnRetried(ModelCallEvent, frozen=True, kw_only=True, tag="turn.retried"):
    """A model call failed and is repeated, with the same model or the agent's fallback."""

    attempt: int
    """Number of the failed attempt, from 1."""
    of: int
    """Maximum number of attempts."""
    error: str
    """Class name of the error."""
    message: str
    wait: float
    """Seconds from this event until the next attempt."""
    shown: bool = False
    """True if a part of the answer was shown, which is now invalid."""
    provider: str = ""
    """Provider of the next attempt, if it is the agent's fallback."""
    model: str = ""
    """Model of the next attempt, if it is the agent's fallback."""

    @property
    def asked_model(self) -> tuple[str, str] | None:
        """Provider and model of the call."""
        return (self.provider, self.model) if self.model else None

    @property
    def voids_answer(self) -> bool:
        """True if a part of the answer was shown."""
        return self.shown

    @property
    def is_retry(self) -> bool:
        """True: the call of the same turn failed before."""
        return True


class MessageDelta(TurnEvent, frozen=True, kw_only=True, tag="message.delta"):
    """A streamed piece of the answer, never recorded. Its time is that of the first piece."""

    offset: int
    """Start of the piece, in characters of the answer so far."""
    text: str


class MessageCompleted(TurnEvent, frozen=True, kw_only=True, tag="message.completed"):
    """The model's answer to one turn: text, tool calls, or both."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    kept: ProviderState | None = None
    """Data that the vendor expects back with the answer in later requests."""
    ending: Ending = "stop"
    """Completeness of the answer, and the reason if it is incomplete."""
    request_id: str | None = None
    """The vendor's id of the request."""
    usage: Usage
    channel: str = "same"
    """Channel of the answer, as requested by the last handoff (contract O-14)."""


class ToolCalled(EventBase, frozen=True, kw_only=True, tag="tool.called"):
    """A tool call started."""

    call: ToolCall


class ToolReturned(EventBase, frozen=True, kw_only=True, tag="tool.returned"):
    """A tool returned a result or an error."""

    result: ToolResult


class InputRequested(EventBase, frozen=True, kw_only=True, tag="input.requested"):
    """A tool asks the user; the run waits for the answer (contract T-10)."""

    call_id: str
    question: str


class InputReceived(EventBase, frozen=True, kw_only=True, tag="input.received"):
    """The user answered a tool's question; the answer is the result of the call."""

    call_id: str
    text: str


class SubtaskStarted(EventBase, frozen=True, kw_only=True, tag="subtask.started"):
    """A subtask started: a nested conversation.

    Its events follow in this trace, from `run.started` to the end of its run, with `task_id` as
    `session_id`.
    """

    task_id: str
    kind: TaskKind
    """A group's member, a lead's delegation, the pipeline of a subtask tool, or a call of the
    supervisor."""
    title: str
    """Name of the executor: an agent's id, a stage's phase, or a pipeline's name."""
    call_id: str | None = None
    """The call that started the subtask, if any."""
    input: str
    """Input of the subtask: its first message."""
    request: SubtaskRequest | None = None
    """Request of a subtask tool."""
    point: SupervisionPoint | None = None
    """Moment of a supervisor's call."""


class SubtaskCompleted(EventBase, frozen=True, kw_only=True, tag="subtask.completed"):
    """A subtask ended with an output or an error; its `usage` counts in this run too."""

    task_id: str
    kind: TaskKind
    title: str
    call_id: str | None = None
    output: str = ""
    """Last answer of the subtask."""
    error: str | None = None
    truncated: bool = False
    """True if the answer was cut off at its maximum length."""
    usage: Usage


class HandoffRequested(EventBase, frozen=True, kw_only=True, tag="handoff.requested"):
    """An agent or a person requested a handoff."""

    call_id: str
    """Id of the model's call; empty without a call."""
    target: str
    """Target as written by the model: an agent's id, an alias, or `human`."""
    to_phase: str | None = None
    """Requested phase, if any."""
    reason: str
    summary: str
    channel_escalation: Channel = "same"
    payload: dict[str, Any] | None = None
    """Payload of a typed handoff (contract S-3)."""
    by: str = ""
    """Name of the person who requested it; empty: an agent did."""
    command_id: str = ""


class HandoffAccepted(EventBase, frozen=True, kw_only=True, tag="handoff.accepted"):
    """The conversation was handed over to an agent, or to the human (`to_agent` is None)."""

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
    """Context of the target, if a filter of the caller replaced the history."""
    by: str = ""
    """Name of the person who requested it; empty: an agent did."""
    forced: bool = False
    """True if the person skipped the check."""


class HandoffRejected(EventBase, frozen=True, kw_only=True, tag="handoff.rejected"):
    """A handoff was refused, without any other effect (contract O-7)."""

    call_id: str
    target: str
    to_agent: str | None = None
    """Resolved agent of the target, if any."""
    to_phase: str | None = None
    """Resolved phase of the target, if any."""
    why: str
    """Reason for the refusal, as a sentence that the model can act on."""
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
    """Kind of refusal; after `limit` and `cycle` the run ends."""
    reason: str = ""
    """The requester's reason."""
    allowed: tuple[str, ...] = ()
    """Targets that are allowed here."""
    by: str = ""
    """Name of the person who requested it; empty: an agent did."""


class CycleDetected(EventBase, frozen=True, kw_only=True, tag="cycle.detected"):
    """The handoffs of the run formed a cycle (contract S-5); `run.completed` follows."""

    loop: tuple[str, ...]
    """Agents of the cycle, in order."""


class PhaseChanged(EventBase, frozen=True, kw_only=True, tag="phase.changed"):
    """The conversation entered another stage, `phase`, served by `agent_id`."""

    from_phase: str
    to_phase: str
    reason: str


class ContextWarned(EventBase, frozen=True, kw_only=True, tag="context.warned"):
    """The context crossed four fifths of its limit (contract T-5)."""

    used: int
    limit: int


class LimitReached(EventBase, frozen=True, kw_only=True, tag="limit.reached"):
    """A limit prevented the next step; `run.completed` follows.

    A limit of the whole run is recorded in each conversation that it ends: the subtasks and the
    main conversation.
    """

    resource: Resource
    used: int | float
    limit: int | float


class HookFailed(EventBase, frozen=True, kw_only=True, tag="hook.failed"):
    """A hook raised an error, without effect on the run (contract O-13)."""

    trigger: str
    error: str


class RunCompleted(EventBase, frozen=True, kw_only=True, tag="run.completed"):
    """The run ended without an error, for `reason`."""

    reason: StopReason
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """Partial answer at the end; None if no answer was in progress."""
    by: str = ""
    """Name of the person who ended the run, or empty."""


class RunFailed(EventBase, frozen=True, kw_only=True, tag="run.failed"):
    """The run ended with an error; the conversation can continue with the next message."""

    error: str
    """Class name of the error."""
    message: str
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """Partial answer at the end; None if no answer was in progress."""
    by: str = ""
    """Name of the person who ended the run, or empty."""
