"""Calls of the supervisor in a trace: their moments, decisions and costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from designer.canvas import POINT_WORDS
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import UsageTotal
from orchestration import events as e
from orchestration.conversation import SUPERVISOR_MARK
from orchestration.messages import ToolCall, ToolResult
from orchestration.tools import read_arguments

CATEGORY = "supervision"
"""Category of the first and the last row of a call, in the trace and its filter."""

NO_DECISION = "changed nothing"
"""Decision of a call without an action."""


@dataclass(frozen=True, slots=True)
class SupervisorCall:
    """A call of the supervisor in progress."""

    supervisor: str
    """Name of the supervisor."""
    requested: Mapping[str, ToolCall] = field(default_factory=dict)
    """Calls of its tools, by their ids."""
    decisions: tuple[str, ...] = ()
    """Effects of these calls so far, in words."""
    spent: UsageTotal = field(default_factory=UsageTotal)
    """Usage of its turns so far."""

    def after(self, event: e.Event, names: Names, cost: float | None) -> SupervisorCall:
        """Return the call after an event of the supervisor's conversation."""
        match event:
            case e.MessageCompleted(tool_calls=calls, usage=usage):
                requested = {**self.requested, **{call.id: call for call in calls}}
                return replace(self, requested=requested, spent=self.spent.plus(usage, cost))
            case e.ToolReturned(result=result):
                decision = _decision(self.requested.get(result.call_id), result, names)
                return replace(self, decisions=(*self.decisions, decision))
            case _:
                return self


def call_context(event: e.Event, call: SupervisorCall | None, task_id: str) -> dict[str, Any]:
    """Return the template context of an event that the supervisor caused, or of its calls.

    `task_id` is the id of the call in whose conversation the event is; empty for any other.
    """
    by_supervisor = _is_by_supervisor(event, call)
    context: dict[str, Any] = {
        "by_supervisor": by_supervisor,
        "requester": requester_name(str(getattr(event, "by", "")), is_supervisor=by_supervisor),
    }
    match event:
        case e.SubtaskStarted(kind="supervision", point=point):
            moment = POINT_WORDS[point].moment if point else "once"
            return context | {
                "kind": CATEGORY, "call": event.task_id, "call_part": "head", "moment": moment,
            }  # fmt: skip
        case e.SubtaskCompleted(kind="supervision"):
            decisions, spent = (call.decisions, call.spent) if call else ((), UsageTotal())
            return context | {
                "kind": CATEGORY, "call": event.task_id, "call_part": "end",
                "decision": ", ".join(decisions) or NO_DECISION, "cost": spent.money,
            }  # fmt: skip
        case _:
            return context | {"call": task_id}


def requester_name(name: str, *, is_supervisor: bool) -> str:
    """Return the name of a person or supervisor: a supervisor is marked, unless its name says so.

    >>> requester_name("Kay", is_supervisor=False), requester_name("Kay", is_supervisor=True)
    ('Kay', 'Kay (supervisor)')
    """
    return f"{name} (supervisor)" if is_supervisor and name.casefold() != "supervisor" else name


def _is_by_supervisor(event: e.Event, call: SupervisorCall | None) -> bool:
    """Report whether the supervisor requested an event; handoffs name no command."""
    if SUPERVISOR_MARK in getattr(event, "command_id", ""):
        return True
    return call is not None and getattr(event, "by", "") == call.supervisor


def _decision(call: ToolCall | None, result: ToolResult, names: Names) -> str:
    """Return the effect of a supervisor's tool in words."""
    if result.error is not None:
        return f"{result.name} refused"
    arguments = read_arguments(call) if call else {}
    parts: Mapping[str, Any] = arguments if isinstance(arguments, Mapping) else {}
    match result.name:
        case "note" if agent := parts.get("to_agent"):
            return f"sent {names.speaker(str(agent)).name} a note"
        case "note":
            return "sent a note"
        case "pause":
            return "paused the run"
        case "redirect":
            return f"handed over to {names.speaker(str(parts.get('target', ''))).name}"
        case _:
            return "handed over to a person"
