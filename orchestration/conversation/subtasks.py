"""Subtasks: nested conversations, and the pipelines that run them (contract H-5, H-9, T-9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from orchestration.definition import PipelineDefinition, SupervisionPoint
from orchestration.events import SubtaskStarted, TaskKind
from orchestration.messages import SubtaskRequest, ToolCall, Value
from orchestration.tools import ToolSpec, read_arguments, request_of

MAX_DEPTH = 5
"""Maximum nesting depth of subtasks (contract T-9)."""

TEAM_MARK, TASK_MARK = "__team_", "__task_"
"""Marks in the session ids of delegations and of subtasks."""

Lineage = tuple[tuple[str, str], ...]
"""Title and input of each subtask that contains a conversation, outermost first."""


class Task(Value, frozen=True):
    """A subtask to start or to continue."""

    id: str
    """Its session id."""
    kind: TaskKind
    title: str
    """Name of the executor: an agent's id, a stage's phase, or a pipeline's name."""
    input: str
    call_id: str | None = None
    request: SubtaskRequest | None = None
    point: SupervisionPoint | None = None
    """Moment of a supervisor's call."""

    @classmethod
    def started_by(cls, event: SubtaskStarted) -> Task:
        """Return the task of a `subtask.started` event."""
        return cls(
            event.task_id,
            event.kind,
            event.title,
            event.input,
            event.call_id,
            event.request,
            event.point,
        )


def task_of(
    call: ToolCall, spec: ToolSpec, definition: PipelineDefinition, parent: str, number: int
) -> Task | str:
    """Return the task of a call, or an error text if its arguments are invalid.

    `parent` is the session id of the calling conversation, `number` its count of subtasks so far.
    """
    arguments = read_arguments(call)
    if isinstance(arguments, str):
        return arguments
    if spec.kind == "delegate":
        option = spec.options[0]
        text = arguments.get("task")
        if not isinstance(text, str) or not text.strip():
            return f"{call.name} needs the argument task: describe the task in a text."
        task_id = f"{parent}{TEAM_MARK}{option.target}_{number}"
        return Task(task_id, "delegate", option.target, text, call.id)
    tool = definition.tools_by_name[call.name]
    return Task(
        f"{parent}{TASK_MARK}{tool.name}_{number}",
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


class SubtaskTemplate(Protocol):
    """Fields of a pipeline for the search."""

    @property
    def name(self) -> str:
        """Name of the pipeline."""

    @property
    def description(self) -> str:
        """Purpose of the pipeline."""


Template = TypeVar("Template", bound=SubtaskTemplate)


def find_template(request: SubtaskRequest, templates: Iterable[Template]) -> Template | None:
    """Return the best template for a request, or None.

    A request that names a template gets that template or None. Otherwise each word of the hints
    (without hints: of the tool's name) scores two in a template's name, or one in its description.
    The first template with the highest score is chosen; a score of zero is never chosen.
    """
    if request.subtype is not None:
        return next((each for each in templates if each.name == request.subtype), None)
    hints = _words(" ".join(request.template_hints) or request.type)
    best = max(templates, key=lambda each: _score(each, hints), default=None)
    return best if best is not None and _score(best, hints) else None


def _score(template: SubtaskTemplate, hints: frozenset[str]) -> int:
    name, description = _words(template.name), _words(template.description)
    return 2 * len(hints & name) + len(hints & (description - name))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


_WORD = re.compile(r"[^\W_]+")
"""A word; `find_contract` has two."""
