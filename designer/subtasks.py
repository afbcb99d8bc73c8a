"""Which pipeline does a subtask: the one that is named, else the one the hints fit best (T-9)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from orchestration.messages import SubtaskRequest

_WORD = re.compile(r"\w+")


class Described(Protocol):
    """A pipeline, as a row or as a definition."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def description(self) -> str:
        """What it is for."""


P = TypeVar("P", bound=Described)


def find(request: SubtaskRequest, among: Iterable[P]) -> P | None:
    """The pipeline that does what is asked for; of those that fit alike the first."""
    if request.subtype is not None:
        return next((one for one in among if one.name == request.subtype), None)
    wanted = _words(" ".join(request.template_hints))
    fits = [(_fit(one, wanted), one) for one in among]
    best = max(fits, key=lambda fit: fit[0], default=(0, None))
    return best[1] if best[0] else None


def _fit(one: Described, wanted: set[str]) -> int:
    """How many of the words occur; in the name each counts twice."""
    name, description = _words(one.name), _words(one.description)
    return 2 * len(wanted & name) + len(wanted & (description - name))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
