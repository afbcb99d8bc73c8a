"""Conversion of a run's events to the outcome of a task (contract T-7, T-11 and T-12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from orchestration import events as e
from orchestration.exceptions import ResourceExhausted, TaskError, ToolError
from orchestration.library.tasks.results import TaskResult, TaskStatus
from orchestration.resources import ResourceMetrics
from orchestration.tools import notes_of


def outcome_of(run: Sequence[e.Event], metrics: ResourceMetrics) -> TaskResult:
    """The answer that a run came to, or what it waits for.

    `run` are the conversation's own events from `run.started` on, without those of its subtasks. A
    run that ended on a limit raises `ResourceExhausted`, any other without an answer `TaskError`.
    """
    end = run[-1]
    said = [event.text for event in run if isinstance(event, e.MessageCompleted)]
    content = said[-1] if said else ""
    notes: dict[str, Any] = {
        "metrics": msgspec.to_builtins(metrics),
        "tool_errors": [error.dump() for error in tool_errors(run)],
    }
    match end:
        case e.SubtaskStarted(request=request) if request is not None:
            return TaskResult(TaskStatus.CONTINUATION, content, notes | notes_of(request))
        case e.RunCompleted(reason=e.StopReason.REPLIED):
            return TaskResult(TaskStatus.COMPLETE, content, notes | _ended(end))
        case e.RunCompleted(reason=e.StopReason.WAITING_FOR_USER):
            notes |= _ended(end) | {"input_request": _asked(run)}
            return TaskResult(TaskStatus.CONTINUATION, content, notes)
        case e.RunCompleted():
            raise _unanswered(end, run, metrics, notes | _ended(end) | {"said": content})
        case e.RunFailed():
            details = notes | {"said": end.cut_off or content}
            raise TaskError(end.message, reason=end.error, details=details, metrics=metrics)
        case e.RunPaused(why="approval", target=tool):
            raise TaskError(
                f"A call of {tool} waits for somebody's approval: give the task approve=…, which "
                "decides of it.",
                reason="waiting_for_approval",
                details=notes,
                metrics=metrics,
            )
        case _:
            raise TaskError("The run has not ended.", reason="unfinished", metrics=metrics)


def tool_errors(run: Sequence[e.Event]) -> list[ToolError]:
    """The calls of a run that failed: each says which tool, and which call (contract T-12)."""
    return [
        ToolError(event.result.error, tool=event.result.name, call_id=event.result.call_id)
        for event in run
        if isinstance(event, e.ToolReturned) and event.result.error is not None
    ]


def _ended(end: e.RunCompleted) -> dict[str, Any]:
    return {"reason": end.reason.value, "usage": msgspec.to_builtins(end.usage)}


def _asked(run: Sequence[e.Event]) -> dict[str, str]:
    """The question that the run waits with."""
    for event in reversed(run):
        if isinstance(event, e.InputRequested):
            return {"call_id": event.call_id, "question": event.question}
    return {}


def _unanswered(
    end: e.RunCompleted, run: Sequence[e.Event], metrics: ResourceMetrics, details: dict[str, Any]
) -> TaskError:
    for event in run:
        if isinstance(event, e.LimitReached):
            return ResourceExhausted(event.resource, metrics, used=event.used, limit=event.limit)
    why = f"The task ended without an answer: {end.reason.replace('_', ' ')}."
    return TaskError(why, reason=end.reason.value, details=details, metrics=metrics)
