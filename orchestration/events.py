"""What happened: immutable facts in the past tense, the closed union `Event`.

A conversation's events in order are its trace, and the whole of its memory: a session is the fold
of its events, the chat and the supervisor pane are renderings of them. Names and fields are an API.
`seq` is gapless per conversation and starts at 1. `message.delta` is published and never recorded:
it carries the `seq` of the last recorded event, and `message.completed` replaces it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from orchestration.messages import InboundMessage, ToolCall, ToolResult, Usage, Value


class StopReason(StrEnum):
    """Why a run ended (decision 2)."""

    REPLIED = "replied"
    WAITING_FOR_USER = "waiting_for_user"
    WAITING_FOR_HUMAN = "waiting_for_human"
    HANDOFF_LIMIT = "handoff_limit"
    TURN_LIMIT = "turn_limit"
    CONTEXT_LIMIT = "context_limit"
    CYCLE = "cycle"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Fact(Value):
    """What every event carries."""

    seq: int
    at: datetime
    session_id: str
    run_id: str
    phase: str
    """The conversation's phase when it happened."""
    agent_id: str | None = None
    """Whose doing it was, where it was an agent's."""


class RunStarted(Fact):
    """A user message set the engine going."""

    type: Literal["run.started"] = "run.started"
    message: InboundMessage | None = None
    """What set it going, so that a run cut off right here can go on; None in a hand-made trace."""


class MessageReceived(Fact):
    """The user's message came in."""

    type: Literal["message.received"] = "message.received"
    message: InboundMessage


class MessageRouted(Fact):
    """The router chose who answers (row O-3); `agent_id` is the chosen one."""

    type: Literal["message.routed"] = "message.routed"
    by: Literal["affinity", "rule", "default", "human", "nobody"]
    rule_id: str | None = None
    reason: str
    observers: tuple[str, ...] = ()
    """Who received it besides: the supervisor (row O-5)."""


class RoutingFailed(Fact):
    """A rule's condition could not be evaluated; the rule was passed over (row O-4)."""

    type: Literal["routing.failed"] = "routing.failed"
    rule_id: str
    error: str


class TurnStarted(Fact):
    """The model was asked."""

    type: Literal["turn.started"] = "turn.started"
    turn: int
    """The turn's number within the run, from 1."""
    provider: str
    model: str
    context_tokens: int
    """Estimated tokens of all that was sent."""
    tools: tuple[str, ...] = ()
    """Names of the tools offered."""


class MessageDelta(Fact):
    """A piece of the answer as it streams. Never recorded."""

    type: Literal["message.delta"] = "message.delta"
    turn: int
    offset: int
    """Where the piece begins, in characters of the answer so far."""
    text: str


class MessageCompleted(Fact):
    """The model's answer to one turn: text, tool calls, or both."""

    type: Literal["message.completed"] = "message.completed"
    turn: int
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage
    channel: str = "same"
    """Where the answer should go: what the last handoff asked for (row O-14)."""


class ToolCalled(Fact):
    """A tool was set going."""

    type: Literal["tool.called"] = "tool.called"
    call: ToolCall


class ToolReturned(Fact):
    """A tool gave its result or its error."""

    type: Literal["tool.returned"] = "tool.returned"
    result: ToolResult


class HandoffRequested(Fact):
    """An agent asked to hand the conversation over."""

    type: Literal["handoff.requested"] = "handoff.requested"
    call_id: str
    target: str
    """As the model wrote it: an agent's id, an alias, `human`."""
    to_phase: str | None = None
    """The phase the model asked for, if it did."""
    reason: str
    summary: str
    channel_escalation: str = "same"


class HandoffAccepted(Fact):
    """The conversation passed to another agent, or to the human (`to_agent` is None)."""

    type: Literal["handoff.accepted"] = "handoff.accepted"
    call_id: str
    from_agent: str | None
    to_agent: str | None
    from_phase: str
    to_phase: str
    reason: str
    summary: str
    hop: int
    """Which handoff of the run it is, from 1."""
    hop_limit: int
    channel_escalation: str = "same"


class HandoffRejected(Fact):
    """A handoff was refused; it changed nothing (row O-7)."""

    type: Literal["handoff.rejected"] = "handoff.rejected"
    call_id: str
    target: str
    to_agent: str | None = None
    """The agent the target was taken for, where there is one."""
    to_phase: str | None = None
    """The phase the handoff would have led to, where that is known."""
    why: str
    """The refusal, in words the model can act on."""
    code: Literal[
        "unknown_target", "not_allowed", "ambiguous", "not_serving", "handed_over", "limit"
    ] = "not_allowed"
    """The kind of refusal. After `limit` the run ends."""
    reason: str = ""
    """What the agent gave as its reason for asking."""
    allowed: tuple[str, ...] = ()
    """The targets that would have been accepted."""


class PhaseChanged(Fact):
    """The conversation entered another stage; `phase` is the new one."""

    type: Literal["phase.changed"] = "phase.changed"
    from_phase: str
    to_phase: str
    reason: str


class ContextWarned(Fact):
    """Four fifths of the context are used: once per crossing (row T-5)."""

    type: Literal["context.warned"] = "context.warned"
    used: int
    limit: int


class LimitReached(Fact):
    """A limit barred the next step; `run.completed` follows."""

    type: Literal["limit.reached"] = "limit.reached"
    resource: Literal["turns", "handoffs", "context"]
    used: int
    limit: int


class HookFailed(Fact):
    """A listener raised; it harmed nothing (row O-13)."""

    type: Literal["hook.failed"] = "hook.failed"
    trigger: str
    error: str


class RunCompleted(Fact):
    """The run ended, and why."""

    type: Literal["run.completed"] = "run.completed"
    reason: StopReason
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """What was said of the answer that the end cut off; None where none was under way."""


class RunFailed(Fact):
    """The run ended on an error nobody could correct. The conversation can go on."""

    type: Literal["run.failed"] = "run.failed"
    error: str
    """The kind of error, as its class is named."""
    message: str
    usage: Usage
    turns: int
    handoffs: int
    cut_off: str | None = None
    """What was said of the answer that the end cut off; None where none was under way."""


Event = Annotated[
    RunStarted
    | MessageReceived
    | MessageRouted
    | RoutingFailed
    | TurnStarted
    | MessageDelta
    | MessageCompleted
    | ToolCalled
    | ToolReturned
    | HandoffRequested
    | HandoffAccepted
    | HandoffRejected
    | PhaseChanged
    | ContextWarned
    | LimitReached
    | HookFailed
    | RunCompleted
    | RunFailed,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Validates and serialises any event."""
