"""The tool that has something done in a conversation of its own (contract T-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from orchestration.definition import Tool
from orchestration.messages import SubtaskRequest
from orchestration.tools.function import CallContext

CONTINUATION: Final = "CONTINUATION"
"""Marker of a subtask tool: its result follows when the subtask is done."""

TASK_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "description": "All there is to know: nothing else is seen."}
    },
    "required": ["task"],
}
"""The arguments of a subtask tool that is told its task in words."""


@dataclass(frozen=True, slots=True)
class SubtaskTool:
    """A subtask tool outside of a session: it asks, and whoever called it has it done.

    In a session there is none of it: there the loop begins the subtask itself.
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
    """The notes of a result that is still to come."""
    return {"subtask_request": msgspec.json.decode(msgspec.json.encode(request))}
