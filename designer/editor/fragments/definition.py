"""The definition as text, a part at a time: that of a thousand stages is most of a megabyte."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition

LINES = 1_000
"""Number of lines per part."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines of the text, each with its break."""

    text: str
    until: int
    """Number of lines up to the end of this part."""
    left: int
    """Number of lines after this part."""


def text_part(definition: PipelineDefinition, start: int = 0, until: int = LINES) -> TextPart:
    """The lines from `start` on, up to `until`."""
    lines = _lines(definition)
    start = max(0, min(start, len(lines)))
    until = max(start, min(until, len(lines)))
    return TextPart("".join(lines[start:until]), until, len(lines) - until)


def whole_text(definition: PipelineDefinition) -> str:
    """All of it, as it is exported."""
    return "".join(_lines(definition))


_WRITTEN: deque[tuple[PipelineDefinition, list[str]]] = deque(maxlen=4)
"""The lines of the definitions that were read last: who comes to the next part has asked before."""


def _lines(definition: PipelineDefinition) -> list[str]:
    for known, lines in tuple(_WRITTEN):
        if known is definition:
            return lines
    lines = definition.dump().splitlines(keepends=True)
    _WRITTEN.append((definition, lines))
    return lines
