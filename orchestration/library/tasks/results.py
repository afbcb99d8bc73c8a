"""Results of tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

from orchestration.exceptions import BatonError
from orchestration.messages import SubtaskRequest, Usage


class TaskStatus(StrEnum):
    """Status of a task: answered, waiting or failed."""

    COMPLETE = "COMPLETE"
    CONTINUATION = "CONTINUATION"
    """The task waits for a subtask or for the user, see `notes`; continue with `resume`."""
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of a task.

    `notes` are JSON values: `subtask_request` or `input_request` of a waiting task, `error` of a
    failed one, and `reason`, `usage`, `metrics` and `tool_errors` of the run.
    """

    status: TaskStatus
    content: str = ""
    """The answer; the last text of a waiting task; the error of a failed task."""
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def failed(cls, error: BatonError) -> TaskResult:
        """Create the result of a failed task, for example for `TaskHandler.resume`.

        >>> TaskResult.failed(BatonError("The archive is closed.")).content
        'The archive is closed.'
        """
        return cls(TaskStatus.FAILED, error.message, {"error": error.dump()})

    @property
    def subtask_request(self) -> SubtaskRequest | None:
        """The subtask that the task waits for; None if it does not wait for one."""
        request = self.notes.get("subtask_request")
        return msgspec.convert(request, SubtaskRequest) if request is not None else None

    @property
    def usage(self) -> Usage:
        """Usage of the task, including its subtasks."""
        return msgspec.convert(self.notes.get("usage", {}), Usage)
