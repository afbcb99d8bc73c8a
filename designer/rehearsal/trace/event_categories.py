"""Category of each event: one word, shown in the trace and used by its filter."""

from __future__ import annotations

from collections.abc import Iterable

from orchestration import events as e

KINDS: dict[type[e.Event], str] = {
    e.RunStarted: "run",
    e.MessageReceived: "message",
    e.MessageRouted: "route",
    e.RoutingFailed: "route",
    e.TurnStarted: "turn",
    e.TurnRetried: "turn",
    e.MessageDelta: "model",
    e.MessageCompleted: "model",
    e.ToolCalled: "tool",
    e.ToolReturned: "tool",
    e.ApprovalRequested: "approval",
    e.ApprovalGiven: "approval",
    e.InputRequested: "question",
    e.InputReceived: "answer",
    e.SubtaskStarted: "subtask",
    e.SubtaskCompleted: "subtask",
    e.HandoffRequested: "handoff",
    e.HandoffAccepted: "handoff",
    e.HandoffRejected: "handoff",
    e.CycleDetected: "cycle",
    e.PhaseChanged: "phase",
    e.ContextWarned: "context",
    e.LimitReached: "limit",
    e.RunPaused: "pause",
    e.RunResumed: "pause",
    e.SupervisorNoted: "note",
    e.HumanJoined: "human",
    e.HumanReplied: "human",
    e.HumanLeft: "human",
    e.HookFailed: "hook",
    e.RunCompleted: "run",
    e.RunFailed: "run",
}
"""Category of each event type."""

ALL_KINDS = tuple(dict.fromkeys(KINDS.values()))
"""Each kind once, in the order in which a conversation mostly comes to it."""


def kind_of(event: e.Event) -> str:
    """The kind of an event."""
    return KINDS[type(event)]


def types_of(kinds: Iterable[str]) -> list[str]:
    """The names of the events that are of these kinds, as the journal has them."""
    wanted = set(kinds)
    return [str(one.__struct_config__.tag) for one, kind in KINDS.items() if kind in wanted]
