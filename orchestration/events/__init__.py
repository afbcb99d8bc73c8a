"""Events: immutable records named in the past tense, as the closed union `Event`.

The events of a conversation in order are its trace. The state of a session, the chat and the
supervisor pane are all computed from them. Names and fields are an API. `seq` starts at 1 in each
conversation and has no gaps. `message.delta` is published and never recorded: it has the `seq` of
the last recorded event, and `message.completed` replaces it.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from orchestration.events.approvals import ApprovalGiven, ApprovalRequested
from orchestration.events.event_base import (
    EVENT_FORMAT,
    Channel,
    EventBase,
    Head,
    ModelCallEvent,
    Resource,
    StopReason,
    TaskKind,
    TurnEvent,
)
from orchestration.events.feedback import FeedbackGiven, Rating
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
    SupervisionLimited,
    SupervisorNoted,
)

__all__ = [
    "EVENT_FORMAT",
    "ApprovalGiven",
    "ApprovalRequested",
    "Channel",
    "ContextWarned",
    "CycleDetected",
    "Event",
    "EventBase",
    "FeedbackGiven",
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
    "ModelCallEvent",
    "PhaseChanged",
    "Rating",
    "Resource",
    "RoutingFailed",
    "RunCompleted",
    "RunFailed",
    "RunPaused",
    "RunResumed",
    "RunStarted",
    "StopReason",
    "SubtaskCompleted",
    "SubtaskStarted",
    "SupervisionLimited",
    "SupervisorNoted",
    "TaskKind",
    "ToolCalled",
    "ToolReturned",
    "TurnEvent",
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
    | SupervisionLimited
    | HumanJoined
    | HumanReplied
    | HumanLeft
    | FeedbackGiven
    | HookFailed
    | RunCompleted
    | RunFailed
)


def encode(event: Event) -> bytes:
    """Return the event as JSON."""
    return msgspec.json.encode(event)


def decode(text: str | bytes) -> Event:
    """Return the event of a JSON text; raise `msgspec.ValidationError` for any other text."""
    return _DECODER.decode(text)


def dump(event: Event) -> dict[str, Any]:
    """Return the event as JSON values."""
    return cast("dict[str, Any]", msgspec.to_builtins(event))


def load(body: Any) -> Event:
    """Return the event of JSON values; raise `msgspec.ValidationError` with the error's path."""
    return msgspec.convert(body, Event)  # type: ignore[no-any-return]


_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
