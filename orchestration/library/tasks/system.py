"""Pipelines for subtask tools, by name (contract T-9)."""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import HandlerError
from orchestration.messages import SubtaskRequest


class TaskSystem:
    """Templates of subtasks: pipelines with unique names.

    Pass `find` as `pipelines` to a session. The engine runs each subtask in its own conversation,
    at most five levels deep, and refuses a request that contains itself.

    >>> tasks = TaskSystem([
    ...     PipelineDefinition(name="Contract review", description="Reads contracts, finds risks."),
    ...     PipelineDefinition(name="Translation", description="Contracts and letters alike."),
    ... ])
    >>> tasks.find(SubtaskRequest(type="check", template_hints=("contracts", "risks"))).name
    'Contract review'
    >>> tasks.find(SubtaskRequest(type="check", subtype="Translation")).name
    'Translation'
    >>> tasks.find(SubtaskRequest(type="dance")) is None
    True
    """

    def __init__(self, templates: Iterable[PipelineDefinition] = ()) -> None:
        self._templates: dict[str, PipelineDefinition] = {}
        for template in templates:
            self.register(template)

    @property
    def templates(self) -> tuple[PipelineDefinition, ...]:
        """All templates, in order of registration."""
        return tuple(self._templates.values())

    def register(self, template: PipelineDefinition) -> None:
        """Add a template; raise `HandlerError` if its name exists."""
        if template.name in self._templates:
            raise HandlerError(f"Duplicate template '{template.name}' in TaskSystem")
        self._templates[template.name] = template

    def find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """Return the template for a request, as selected by `find_template`."""
        return find_template(request, self._templates.values())
