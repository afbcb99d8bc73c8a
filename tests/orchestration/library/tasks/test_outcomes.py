"""Conversion of a run's events to the outcome of a task."""

from typing import Any

import pytest

from orchestration import events as e
from orchestration.exceptions import ResourceExhausted, TaskError
from orchestration.library import TaskStatus
from orchestration.library.tasks.outcomes import outcome_of, tool_errors
from orchestration.messages import SubtaskRequest, ToolResult, Usage
from orchestration.resources import (
    BudgetMetrics,
    ContextMetrics,
    CostMetrics,
    ResourceMetrics,
    TurnMetrics,
)
from tests.orchestration.conversations import NOON

METRICS = ResourceMetrics(
    turns=TurnMetrics(used=1, limit=3),
    context=ContextMetrics(used=10, limit=100, peak=10),
    calls=BudgetMetrics(used=3, limit=200),
    tokens=BudgetMetrics(used=90, limit=1_000),
    cost=CostMetrics(used=0.0, limit=None),
    time=BudgetMetrics(used=0.5, limit=900),
)


def head(seq: int) -> dict[str, Any]:
    return {"seq": seq, "at": NOON, "session_id": "s1", "run_id": "r1", "phase": "task"}


def answer(seq: int, text: str) -> e.MessageCompleted:
    return e.MessageCompleted(**head(seq), text=text, usage=Usage(), turn=1)


def end(seq: int, reason: e.StopReason) -> e.RunCompleted:
    return e.RunCompleted(**head(seq), reason=reason, usage=Usage(calls=2), turns=1, handoffs=0)


def test_the_last_text_is_the_content_of_a_complete_task():
    """Contract T-11."""
    run: list[e.Event] = [
        answer(1, "One moment."),
        answer(2, "Done."),
        end(3, e.StopReason.REPLIED),
    ]
    result = outcome_of(run, METRICS)
    assert (result.status, result.content) == (TaskStatus.COMPLETE, "Done.")
    assert (result.notes["reason"], result.usage.calls) == ("replied", 2)
    assert result.notes["metrics"]["turns"]["limit"] == 3


def test_a_question_to_the_user_is_a_continuation():
    """Contract T-10."""
    asked = e.InputRequested(**head(1), call_id="c1", question="Which order?")
    result = outcome_of([asked, end(2, e.StopReason.WAITING_FOR_USER)], METRICS)
    assert result.status is TaskStatus.CONTINUATION
    assert result.notes["input_request"] == {"call_id": "c1", "question": "Which order?"}


def test_an_external_subtask_is_a_continuation_with_its_request():
    """Contract T-9."""
    request = SubtaskRequest(type="review")
    started = e.SubtaskStarted(
        **head(1), task_id="s1.1", kind="subtask", title="review", input="Read.", request=request
    )
    result = outcome_of([started], METRICS)
    assert (result.status, result.subtask_request) == (TaskStatus.CONTINUATION, request)


def test_a_limit_raises_with_usage_and_limit():
    """Contract T-7."""
    limit = e.LimitReached(**head(1), resource="turns", used=3, limit=3)
    with pytest.raises(ResourceExhausted) as raised:
        outcome_of([limit, end(2, e.StopReason.TURN_LIMIT)], METRICS)
    assert (raised.value.resource, raised.value.metrics) == ("turns", METRICS)


def test_another_end_without_an_answer_raises_with_its_reason():
    """Contract T-11 and T-12."""
    run: list[e.Event] = [answer(1, "Wait."), end(2, e.StopReason.WAITING_FOR_HUMAN)]
    with pytest.raises(TaskError, match="without an answer: waiting for human") as raised:
        outcome_of(run, METRICS)
    assert (raised.value.reason, raised.value.details["said"]) == ("waiting_for_human", "Wait.")


def test_an_unfinished_run_raises():
    with pytest.raises(TaskError, match="has not ended"):
        outcome_of([answer(1, "Wait.")], METRICS)


def test_only_failed_calls_are_tool_errors():
    """Contract T-12."""
    results = (
        ToolResult(call_id="c1", name="look", content="Order 7"),
        ToolResult(call_id="c2", name="book", error="No room."),
    )
    run = [e.ToolReturned(**head(seq), result=result) for seq, result in enumerate(results, 1)]
    [error] = tool_errors(run)
    assert (error.tool, error.call_id, error.message) == ("book", "c2", "No room.")
