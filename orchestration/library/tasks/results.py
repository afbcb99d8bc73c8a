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
    """It waits for a subtask or for the user, as `notes` say; `TaskHandler.resume` goes on."""
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of a task.

    `notes` are values of JSON: `subtask_request` or `input_request` of what it waits for, `error`
    of what failed; and of the run `reason`, `usage`, `metrics` and `tool_errors`.
    """

    status: TaskStatus
    content: str = ""
    """The answer. Of a task that waits: what was said last. Of one that failed: why."""
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def failed(cls, error: BatonError) -> TaskResult:
        """A task that ended with this error: what `TaskHandler.resume` takes for a subtask's end.

        >>> TaskResult.failed(BatonError("The archive is closed.")).content
        'The archive is closed.'
        """
        return cls(TaskStatus.FAILED, error.message, {"error": error.dump()})

    @property
    def subtask_request(self) -> SubtaskRequest | None:
        """The subtask it waits for, if it waits for one."""
        found = self.notes.get("subtask_request")
        return msgspec.convert(found, SubtaskRequest) if found is not None else None

    @property
    def usage(self) -> Usage:
        """Usage of the task, its subtasks included."""
        return msgspec.convert(self.notes.get("usage", {}), Usage)
