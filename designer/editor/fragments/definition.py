"""The definition as text, in parts: the text of a thousand stages takes most of a megabyte."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition

LINES = 1_000
"""Number of lines per part."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines of the text, each with its line break."""

    text: str
    until: int
    """Number of lines up to the end of this part."""
    rest: int
    """Number of lines after this part."""


def text_part(definition: PipelineDefinition, start: int = 0, until: int = LINES) -> TextPart:
    """Return the lines from `start` up to `until`, which is excluded."""
    lines = _lines(definition)
    start = max(0, min(start, len(lines)))
    until = max(start, min(until, len(lines)))
    return TextPart("".join(lines[start:until]), until, len(lines) - until)


def whole_text(definition: PipelineDefinition) -> str:
    """Return the whole text, as it is exported."""
    return "".join(_lines(definition))


_RECENT: deque[tuple[PipelineDefinition, list[str]]] = deque(maxlen=4)
"""Lines of the definitions that were read last, for requests of further parts."""


def _lines(definition: PipelineDefinition) -> list[str]:
    for known, lines in tuple(_RECENT):
        if known is definition:
            return lines
    lines = definition.dump().splitlines(keepends=True)
    _RECENT.append((definition, lines))
    return lines
