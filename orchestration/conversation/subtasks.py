"""Subtasks: conversations within a conversation (contract H-5, H-9, T-9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.events import SubtaskStarted, TaskKind
from orchestration.messages import SubtaskRequest, ToolCall, Value
from orchestration.tools import ToolSpec, read_arguments, request_of

MAX_DEPTH = 5
"""Maximum nesting depth of subtasks (contract T-9)."""

Lineage = tuple[tuple[str, str], ...]
"""The subtasks within which a conversation stands: of each its title and its input."""


class Task(Value, frozen=True):
    """A subtask that is to begin or to go on."""

    id: str
    """Its session id."""
    kind: TaskKind
    title: str
    """Name of the executor: an agent's id, a stage's phase, or a pipeline's name."""
    input: str
    call_id: str | None = None
    request: SubtaskRequest | None = None

    @classmethod
    def begun(cls, event: SubtaskStarted) -> Task:
        """The task that an event tells of."""
        return cls(
            event.task_id, event.kind, event.title, event.input, event.call_id, event.request
        )


def task_of(
    call: ToolCall, spec: ToolSpec, definition: PipelineDefinition, parent: str, number: int
) -> Task | str:
    """The task that a call asks for, or what is wrong with its arguments in a sentence.

    `parent` is the session id within which it stands, `number` how many subtasks began before.
    """
    arguments = read_arguments(call)
    if isinstance(arguments, str):
        return arguments
    if spec.kind == "delegate":
        way = spec.options[0]
        told = arguments.get("task")
        if not isinstance(told, str) or not told.strip():
            return f"{call.name} needs a task: a text that says what is to be done."
        task_id = f"{parent}__team_{way.target}_{number}"
        return Task(task_id, "delegate", way.target, told, call.id)
    tool = definition.tools_by_name[call.name]
    return Task(
        f"{parent}__task_{tool.name}_{number}",
        "subtask",
        tool.pipeline or tool.name,
        input_text(arguments),
        call.id,
        request=request_of(tool, arguments),
    )


def input_text(arguments: Mapping[str, Any]) -> str:
    """Return the input of a subtask as text: a single text unchanged, anything else as JSON."""
    if len(arguments) == 1 and isinstance(only := next(iter(arguments.values())), str):
        return only
    return json.dumps(arguments, ensure_ascii=False, indent=2)
