"""The pipelines that subtask tools run, each under its own name (contract T-9)."""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import HandlerError
from orchestration.messages import SubtaskRequest


class TaskSystem:
    """The templates of subtasks: pipelines, each under a name of its own.

    `find` is what a session's `pipelines` takes. The loop runs what it finds in a conversation of
    its own, at most five deep, and refuses a request that stands within itself.

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
        """All of them, in order of registration."""
        return tuple(self._templates.values())

    def register(self, template: PipelineDefinition) -> None:
        """Add a template; a name that is taken raises `HandlerError`."""
        if template.name in self._templates:
            raise HandlerError(f"Duplicate template '{template.name}' in TaskSystem")
        self._templates[template.name] = template

    def find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """The template that does what is asked for, as `find_template` finds it."""
        return find_template(request, self._templates.values())
