"""Selection of the pipeline that runs a subtask (contract T-9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from orchestration.messages import SubtaskRequest


class SubtaskTemplate(Protocol):
    """The part of a pipeline that the search reads."""

    @property
    def name(self) -> str:
        """The name of the pipeline."""

    @property
    def description(self) -> str:
        """The purpose of the pipeline."""


Template = TypeVar("Template", bound=SubtaskTemplate)


def find_template(request: SubtaskRequest, among: Iterable[Template]) -> Template | None:
    """Return the template that fits a request best, or None. Pure.

    A request that names a template gets that template or None. Otherwise each word of the hints
    (without hints: of the tool's name) scores two in a template's name, or one in its description.
    The first of the best wins; a template without a matching word is never chosen.
    """
    if request.subtype is not None:
        return next((one for one in among if one.name == request.subtype), None)
    hints = _words(" ".join(request.template_hints) or request.type)
    best = max(among, key=lambda one: _fit(one, hints), default=None)
    return best if best is not None and _fit(best, hints) else None


def _fit(template: SubtaskTemplate, hints: frozenset[str]) -> int:
    name, description = _words(template.name), _words(template.description)
    return 2 * len(hints & name) + len(hints & (description - name))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


_WORD = re.compile(r"[^\W_]+")
"""A word; `find_contract` is two."""
