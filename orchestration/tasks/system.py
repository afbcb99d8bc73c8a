"""The pipelines that subtask tools have run, and which of them does what (row T-9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import HandlerError
from orchestration.messages import SubtaskRequest


class Described(Protocol):
    """A pipeline, as far as it is looked for."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def description(self) -> str:
        """What it is for."""


Template = TypeVar("Template", bound=Described)


def find_template(request: SubtaskRequest, among: Iterable[Template]) -> Template | None:
    """The template that does what is asked for; None: there is none. Pure.

    A request that names one gets that one, or none. Else the one that the hints fit best: each of
    their words counts two in a template's name, else one in its description. Without hints the
    words of the tool's name are looked for. Of equals the first is taken; one that no word fits
    never is.
    """
    if request.subtype is not None:
        return next((one for one in among if one.name == request.subtype), None)
    hints = _words(" ".join(request.template_hints) or request.type)
    best = max(among, key=lambda one: _fit(one, hints), default=None)
    return best if best is not None and _fit(best, hints) else None


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


def _fit(template: Described, hints: frozenset[str]) -> int:
    name, description = _words(template.name), _words(template.description)
    return 2 * len(hints & name) + len(hints & (description - name))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


_WORD = re.compile(r"[^\W_]+")
"""A word; `find_contract` is two."""
