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
    """Return the answer of a run, or a continuation if it waits.

    `run` contains the events of the conversation from `run.started` on, without those of subtasks.
    A limit raises `ResourceExhausted`, any other end without an answer `TaskError`.
    """
    end = run[-1]
    texts = [event.text for event in run if isinstance(event, e.MessageCompleted)]
    content = texts[-1] if texts else ""
    notes: dict[str, Any] = {
        "metrics": msgspec.to_builtins(metrics),
        "tool_errors": [error.dump() for error in tool_errors(run)],
    }
    match end:
        case e.SubtaskStarted(request=request) if request is not None:
            return TaskResult(TaskStatus.CONTINUATION, content, notes | notes_of(request))
        case e.RunCompleted(reason=e.StopReason.REPLIED):
            return TaskResult(TaskStatus.COMPLETE, content, notes | _end_notes(end))
        case e.RunCompleted(reason=e.StopReason.WAITING_FOR_USER):
            notes |= _end_notes(end) | {"input_request": _question(run)}
            return TaskResult(TaskStatus.CONTINUATION, content, notes)
        case e.RunCompleted():
            raise _error_of(end, run, metrics, notes | _end_notes(end) | {"said": content})
        case e.RunFailed():
            details = notes | {"said": end.cut_off or content}
            raise TaskError(end.message, reason=end.error, details=details, metrics=metrics)
        case e.RunPaused(why="approval", target=tool):
            raise TaskError(
                f"A call of {tool} requires approval: pass approve=… to the task, which decides "
                "about calls.",
                reason="waiting_for_approval",
                details=notes,
                metrics=metrics,
            )
        case _:
            raise TaskError(
                "The run has not ended: resume it.", reason="unfinished", metrics=metrics
            )


def tool_errors(run: Sequence[e.Event]) -> list[ToolError]:
    """Return the failed calls of a run as errors, with tool and call id (contract T-12)."""
    return [
        ToolError(event.result.error, tool=event.result.name, call_id=event.result.call_id)
        for event in run
        if isinstance(event, e.ToolReturned) and event.result.error is not None
    ]


def _end_notes(end: e.RunCompleted) -> dict[str, Any]:
    return {"reason": end.reason.value, "usage": msgspec.to_builtins(end.usage)}


def _question(run: Sequence[e.Event]) -> dict[str, str]:
    """Return the question to the user that the run waits for."""
    for event in reversed(run):
        if isinstance(event, e.InputRequested):
            return {"call_id": event.call_id, "question": event.question}
    return {}


def _error_of(
    end: e.RunCompleted, run: Sequence[e.Event], metrics: ResourceMetrics, details: dict[str, Any]
) -> TaskError:
    for event in run:
        if isinstance(event, e.LimitReached):
            return ResourceExhausted(event.resource, metrics, used=event.used, limit=event.limit)
    why = f"The task ended without an answer: {end.reason.replace('_', ' ')}."
    if end.reason == e.StopReason.TRUNCATED:
        why = (
            "The answer was cut off at its maximum length: increase the agent's max_output_tokens."
        )
    return TaskError(why, reason=end.reason.value, details=details, metrics=metrics)
