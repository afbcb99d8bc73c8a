"""Tools that delegate a task to a separate conversation (contract T-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from orchestration.definition import Tool
from orchestration.messages import SubtaskRequest
from orchestration.tools.function import CallContext

CONTINUATION: Final = "CONTINUATION"
"""Content of a subtask tool's result until the subtask is done."""

TASK_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "The complete task: nothing else of this conversation is visible.",
        }
    },
    "required": ["task"],
}
"""The arguments of a subtask tool that receives its task as text."""


@dataclass(frozen=True, slots=True)
class SubtaskTool:
    """A subtask tool for use without a session: returns the request for its caller to run.

    In a session the loop begins subtasks itself and does not use this class.
    """

    tool: Tool

    @property
    def name(self) -> str:
        """Name of the tool for models."""
        return self.tool.name

    async def run(self, arguments: dict[str, Any], context: CallContext) -> SubtaskRequest:
        """Return the requested subtask."""
        return request_of(self.tool, arguments)


def request_of(tool: Tool, arguments: dict[str, Any]) -> SubtaskRequest:
    """Return the subtask request of a tool call."""
    return SubtaskRequest(
        type=tool.name,
        description=tool.description,
        inputs=arguments,
        template_hints=tool.template_hints,
        subtype=tool.pipeline,
    )


def notes_of(request: SubtaskRequest) -> dict[str, Any]:
    """Return the notes of a result that is not available yet."""
    return {"subtask_request": msgspec.json.decode(msgspec.json.encode(request))}
