"""Difference of two definitions: the changed parts, and their effect on conversations."""

from orchestration.difference.changes import (
    ABSENT,
    Difference,
    PartChange,
    PartKind,
    PartMark,
    ValueChange,
    difference,
    share_parts,
)
from orchestration.difference.effects import Effect, ToolChange, effect
from orchestration.difference.report import as_json, as_markdown, as_text
from orchestration.difference.texts import (
    TextMark,
    TextRun,
    line_differences,
    word_differences,
)

__all__ = [
    "ABSENT",
    "Difference",
    "Effect",
    "PartChange",
    "PartKind",
    "PartMark",
    "TextMark",
    "TextRun",
    "ToolChange",
    "ValueChange",
    "as_json",
    "as_markdown",
    "as_text",
    "difference",
    "effect",
    "line_differences",
    "share_parts",
    "word_differences",
]
