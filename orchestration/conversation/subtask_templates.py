"""Selection of the pipeline that runs a subtask (contract T-9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from orchestration.messages import SubtaskRequest


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
