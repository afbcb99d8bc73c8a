"""Results of tasks."""

import msgspec

from orchestration.exceptions import TaskError
from orchestration.library import TaskResult, TaskStatus
from orchestration.messages import SubtaskRequest, Usage


def test_a_failed_result_has_the_error_and_its_message():
    """Contract T-12."""
    error = TaskError("No lawyer.", reason="failed")
    result = TaskResult.failed(error)
    assert (result.status, result.content) == (TaskStatus.FAILED, "No lawyer.")
    assert result.notes == {"error": error.dump()}


def test_the_request_and_the_usage_are_read_from_the_notes():
    """Contract T-9 and D-6."""
    request, usage = SubtaskRequest(type="review"), Usage(calls=2, input_tokens=7)
    notes = {
        "subtask_request": msgspec.to_builtins(request),
        "usage": msgspec.to_builtins(usage),
    }
    result = TaskResult(TaskStatus.CONTINUATION, notes=notes)
    assert (result.subtask_request, result.usage) == (request, usage)


def test_a_result_without_notes_has_no_request_and_no_usage():
    result = TaskResult(TaskStatus.COMPLETE)
    assert (result.subtask_request, result.usage) == (None, Usage())
