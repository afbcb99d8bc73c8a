"""Events of every type as a story, and their state and HTML."""

import typing
from datetime import timedelta
from itertools import count
from typing import Any

import msgspec

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.events import render_event, skip_event
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from orchestration.messages import InboundMessage, ToolCall, ToolResult, Usage
from tests.designer.htmx_page import page_of
from tests.orchestration.conversations import NOON, four_stages

HOSTILE = "<script>alert('&')</script>"


UNION = typing.get_args(e.Event)


def names() -> Names:
    return Names.of(four_stages(), started_at=NOON, trace_url="/conversations/1/events/")


def trace_state(shown=()) -> TraceState:
    """Return the state of a trace after these events."""
    state = TraceState.of(names())
    for event in shown:
        skip_event(event, state)
    return state


def rendered(event, after=()):
    return render_event(event, trace_state(after))


def changed(event, **fields):
    return msgspec.structs.replace(event, **fields)


def head(seq, agent="agent-triage", **changes):
    return {
        "seq": seq,
        "at": NOON + timedelta(milliseconds=100 * (seq - 1)),
        "session_id": "conversation-1",
        "run_id": "r1",
        "phase": "intake",
        "agent_id": agent,
        **changes,
    }


def whole_story() -> list[e.Event]:
    """Return runs with one event of each recorded type."""
    message = InboundMessage(id="message-1", text=HOSTILE, channel_type="sms", intent="billing")
    call = ToolCall(id="call \"1'", name="lookup", arguments='{"order": "A-1043"}')
    usage = Usage(input_tokens=182, output_tokens=41, calls=1, milliseconds=398)
    handoff: dict[str, Any] = {"call_id": "c2", "reason": HOSTILE}
    sums: dict[str, Any] = {"usage": usage, "turns": 2, "handoffs": 1}
    task: dict[str, Any] = {
        "task_id": "t1",
        "kind": "delegate",
        "title": "agent-handler",
        "call_id": "c3",
    }
    return [
        e.RunStarted(**head(1, None), message=message),
        e.MessageReceived(**head(2, None), message=message),
        e.RoutingFailed(**head(3, None), rule_id="rule-1", error="no such field"),
        e.MessageRouted(**head(4), by="default", reason="no rule matched"),
        e.ContextWarned(**head(5), used=80, limit=100),
        e.TurnStarted(**head(6), turn=1, provider="p", model="m", context_tokens=9, tools=("t",)),
        e.MessageCompleted(**head(7), turn=1, text=HOSTILE, tool_calls=(call,), usage=usage),
        e.ToolCalled(**head(8), call=call),
        e.ToolReturned(
            **head(9), result=ToolResult(call_id=call.id, name="lookup", content=HOSTILE)
        ),
        e.HandoffRequested(**head(10), **handoff, target="agent-handler", summary="s"),
        e.HandoffRejected(
            **head(11), **handoff, target="agent-resolver", to_phase="resolution", why="no way"
        ),
        e.HandoffAccepted(
            **head(12),
            **handoff,
            from_agent="agent-triage",
            to_agent="agent-handler",
            from_phase="intake",
            to_phase="handling",
            summary="s",
            hop=1,
            hop_limit=8,
        ),
        e.PhaseChanged(
            **head(13, phase="handling"), from_phase="intake", to_phase="handling", reason="r"
        ),
        e.HookFailed(**head(14), trigger="on_handoff", error="boom"),
        e.LimitReached(**head(15), resource="turns", used=2, limit=2),
        e.RunCompleted(**head(16), reason=e.StopReason.TURN_LIMIT, **sums),
        e.TurnStarted(**head(17), turn=3, provider="p", model="m", context_tokens=9),
        e.RunFailed(
            **head(18),
            error="ProviderError",
            message=HOSTILE,
            cut_off=HOSTILE,
            **sums | {"turns": 3},
        ),
        e.RunStarted(**head(19, None, run_id="r2"), message=message),
        e.TurnStarted(**head(20, run_id="r2"), turn=1, provider="p", model="m", context_tokens=9),
        e.MessageCompleted(
            **head(21, run_id="r2"), turn=1, text="", tool_calls=(call,), usage=usage
        ),
        e.SubtaskStarted(**head(22, run_id="r2"), **task, input=HOSTILE),
        e.SubtaskCompleted(**head(23, run_id="r2"), **task, output=HOSTILE, usage=usage),
        e.InputRequested(**head(24, run_id="r2"), call_id="c3", question=HOSTILE),
        e.RunCompleted(**head(25, run_id="r2"), reason=e.StopReason.WAITING_FOR_USER, **sums),
        e.RunStarted(**head(26, None, run_id="r3"), message=message),
        e.InputReceived(**head(27, run_id="r3"), call_id="c3", text=HOSTILE),
        e.CycleDetected(**head(28, run_id="r3"), loop=("agent-triage", "agent-handler")),
        e.RunCompleted(**head(29, run_id="r3"), reason=e.StopReason.CYCLE, **sums),
        *what_people_do(30),
        *what_asks_first(44),
        e.FeedbackGiven(**head(53), about=7, rating="down", comment=HOSTILE, by=HOSTILE),
    ]


def what_people_do(first: int) -> list[e.Event]:
    """Return the events of a run with steering, and of a takeover."""
    seqs = count(first)

    def at(agent: str | None = "agent-triage", run_id: str = "r4") -> dict[str, Any]:
        return dict(head(next(seqs), agent, run_id=run_id))

    retried: dict[str, Any] = {"attempt": 1, "of": 3, "error": "ProviderError", "wait": 0.5}
    usage = Usage(input_tokens=9, output_tokens=4, calls=1, milliseconds=40)
    return [
        e.RunStarted(**at(None), goes_on=True),
        e.RunPaused(**at(), why="break_point", ahead="turn", target="agent-triage", by=HOSTILE),
        e.SupervisorNoted(**at(), text=HOSTILE, to_agent="agent-triage", by=HOSTILE),
        e.SupervisionLimited(**at(), used=20, limit=20),
        e.RunResumed(**at(), step=True, by=HOSTILE),
        e.TurnStarted(**at(), turn=1, provider="p", model="m", context_tokens=9),
        e.TurnRetried(**at(), turn=1, message=HOSTILE, **retried),
        e.TurnRetried(
            **at(), turn=1, message=HOSTILE, **retried, shown=True, provider="q", model=HOSTILE
        ),
        e.MessageCompleted(**at(), turn=1, text="", usage=usage),
        e.RunPaused(
            **at(), why="asked", ahead="handoff", target="agent-handler", to_phase="handling"
        ),
        e.RunCompleted(
            **at(), reason=e.StopReason.WAITING_FOR_HUMAN, usage=usage, turns=1, handoffs=0
        ),
        e.HumanJoined(**at(None, ""), by=HOSTILE),
        e.HumanReplied(**at(None, ""), text=HOSTILE, by=HOSTILE),
        e.HumanLeft(**at(None, ""), by=HOSTILE),
    ]


def what_asks_first(first: int) -> list[e.Event]:
    """Return the events of a run with three approvals: changed, refused and undecided."""
    seqs = count(first)

    def at() -> dict[str, Any]:
        return dict(head(next(seqs), run_id="r5"))

    calls = [ToolCall(id=f"{HOSTILE}{n}", name="pay", arguments='{"x": "<b>"}') for n in range(3)]
    usage = Usage(input_tokens=9, output_tokens=4, calls=1, milliseconds=40)
    asked = [e.ApprovalRequested(**at(), call=call) for call in calls]
    changed, refused, _ = calls
    by: dict[str, Any] = {"by": HOSTILE, "command_id": "command-1"}
    return [
        *asked,
        e.RunPaused(**at(), why="approval", ahead="call", target="pay", waits_for=(43, 44, 45)),
        e.ApprovalGiven(
            **at(), call_id=changed.id, decision="changed", arguments='{"x": "<i>"}', **by
        ),
        e.RunResumed(**at()),
        e.ToolCalled(**at(), call=changed),
        e.ApprovalGiven(**at(), call_id=refused.id, decision="refused", reason=HOSTILE, **by),
        e.RunCompleted(
            **at(),
            reason=e.StopReason.CANCELLED,
            usage=usage,
            turns=1,
            handoffs=0,
            by=HOSTILE,
        ),
    ]


def panes(events):
    return page_of(events, trace_state())
