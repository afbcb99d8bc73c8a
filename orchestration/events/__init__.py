"""What happened: immutable facts in the past tense, the closed union `Event`.

A conversation's events in order are its trace, and the whole of its memory: a session is the fold
of its events, the chat and the supervisor pane are renderings of them. Names and fields are an API.
`seq` is gapless per conversation and starts at 1. `message.delta` is published and never recorded:
it carries the `seq` of the last recorded event, and `message.completed` replaces it.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from orchestration.events.approvals import ApprovalGiven, ApprovalRequested
from orchestration.events.fact import (
    Channel,
    Fact,
    Head,
    StopReason,
    TaskKind,
    TurnFact,
)
from orchestration.events.run import (
    ContextWarned,
    CycleDetected,
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    HookFailed,
    InputReceived,
    InputRequested,
    LimitReached,
    MessageCompleted,
    MessageDelta,
    MessageReceived,
    MessageRouted,
    PhaseChanged,
    RoutingFailed,
    RunCompleted,
    RunFailed,
    RunStarted,
    SubtaskCompleted,
    SubtaskStarted,
    ToolCalled,
    ToolReturned,
    TurnRetried,
    TurnStarted,
)
from orchestration.events.supervision import (
    HumanJoined,
    HumanLeft,
    HumanReplied,
    RunPaused,
    RunResumed,
    SupervisorNoted,
)

__all__ = [
    "ApprovalGiven",
    "ApprovalRequested",
    "Channel",
    "ContextWarned",
    "CycleDetected",
    "Event",
    "Fact",
    "HandoffAccepted",
    "HandoffRejected",
    "HandoffRequested",
    "Head",
    "HookFailed",
    "HumanJoined",
    "HumanLeft",
    "HumanReplied",
    "InputReceived",
    "InputRequested",
    "LimitReached",
    "MessageCompleted",
    "MessageDelta",
    "MessageReceived",
    "MessageRouted",
    "PhaseChanged",
    "RoutingFailed",
    "RunCompleted",
    "RunFailed",
    "RunPaused",
    "RunResumed",
    "RunStarted",
    "StopReason",
    "SubtaskCompleted",
    "SubtaskStarted",
    "SupervisorNoted",
    "TaskKind",
    "ToolCalled",
    "ToolReturned",
    "TurnFact",
    "TurnRetried",
    "TurnStarted",
    "decode",
    "dump",
    "encode",
    "load",
]

Event = (
    RunStarted
    | MessageReceived
    | MessageRouted
    | RoutingFailed
    | TurnStarted
    | TurnRetried
    | MessageDelta
    | MessageCompleted
    | ToolCalled
    | ToolReturned
    | ApprovalRequested
    | ApprovalGiven
    | InputRequested
    | InputReceived
    | SubtaskStarted
    | SubtaskCompleted
    | HandoffRequested
    | HandoffAccepted
    | HandoffRejected
    | CycleDetected
    | PhaseChanged
    | ContextWarned
    | LimitReached
    | RunPaused
    | RunResumed
    | SupervisorNoted
    | HumanJoined
    | HumanReplied
    | HumanLeft
    | HookFailed
    | RunCompleted
    | RunFailed
)


def encode(event: Event) -> bytes:
    """The event as JSON."""
    return msgspec.json.encode(event)


def decode(text: str | bytes) -> Event:
    """The event that `encode` wrote. What is none raises `msgspec.ValidationError`."""
    return _DECODER.decode(text)


def dump(event: Event) -> dict[str, Any]:
    """The event as values of JSON."""
    return cast("dict[str, Any]", msgspec.to_builtins(event))


def load(body: Any) -> Event:
    """The event that `dump` gave. What is none raises `msgspec.ValidationError` with its path."""
    return msgspec.convert(body, Event)  # type: ignore[no-any-return]


_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
