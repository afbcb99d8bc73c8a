"""The consequences of a difference for conversations, for the panel "What it means"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from designer.versions.change_rows import marked_text, text_runs
from orchestration.difference import Effect, TextRun
from orchestration.tools import ToolSpec
from orchestration.validation import Issue

MAX_LISTED = 20
"""Maximum number of paths of each kind in the panel."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolsRow:
    """The tools for handoffs that a model gets in a stage, with their difference."""

    phase: str
    runs: tuple[TextRun, ...]

    @property
    def text(self) -> SafeString:
        """The tools with their differences as HTML."""
        return marked_text(self.runs)


@dataclass(frozen=True, slots=True)
class Meaning:
    """Content of the panel."""

    gained: int
    lost: int
    paths: tuple[tuple[str, Path], ...]
    """Gained and lost paths, each with the sign of its mark."""
    more_paths: int
    all_paths: bool
    sentences: tuple[str, ...]
    new_issues: tuple[Issue, ...]
    resolved_issues: tuple[Issue, ...]
    tools: tuple[ToolsRow, ...]

    @property
    def is_empty(self) -> bool:
        """Report whether the difference has no consequence."""
        return not (
            self.paths or self.sentences or self.new_issues or self.resolved_issues or self.tools
        )


def meaning_of(effect: Effect) -> Meaning:
    """Return the consequences in words."""
    gained = [("+", path) for path in effect.paths_gained]
    lost = [("\N{MINUS SIGN}", path) for path in effect.paths_lost]
    shown = (*gained[:MAX_LISTED], *lost[:MAX_LISTED])
    return Meaning(
        len(gained),
        len(lost),
        shown,
        len(gained) + len(lost) - len(shown),
        effect.all_paths,
        tuple(_sentences(effect)),
        effect.new_issues,
        effect.resolved_issues,
        tuple(
            ToolsRow(change.phase, text_runs(_signatures(change.before), _signatures(change.after)))
            for change in effect.tools
        ),
    )


def _sentences(effect: Effect) -> Iterator[str]:
    yield from (f"No conversation reaches {phase} any more." for phase in effect.unreachable)
    yield from (f"Conversations now reach {phase}." for phase in effect.newly_reachable)
    yield from _length("an end", effect.to_end)
    yield from _length("the human", effect.to_human)


def _length(goal: str, paths: tuple[Path | None, Path | None]) -> Iterator[str]:
    before, after = paths
    if (before and len(before)) == (after and len(after)):
        return
    if after is None:
        yield f"No path leads to {goal} any more."
    elif before is None:
        yield f"A path now leads to {goal}: {' → '.join(after)}."
    else:
        handoffs = f"{len(after) - 1} handoff{'' if len(after) == 2 else 's'}"
        yield f"The shortest path to {goal} has {handoffs} instead of {len(before) - 1}."


def _signatures(tools: Iterable[ToolSpec]) -> str:
    """Return the tools as text: name, description and parameters, as the model gets them."""
    return "\n\n".join(
        "\n".join(
            [
                f"{tool.name}(",
                *(f"  {name}: {_type(schema)}," for name, schema in _properties(tool)),
                ")",
                tool.description,
            ]
        )
        for tool in tools
    )


def _properties(tool: ToolSpec) -> Iterator[tuple[str, Any]]:
    properties = tool.parameters.get("properties")
    required = tool.parameters.get("required") or ()
    if isinstance(properties, dict):
        for name, schema in properties.items():
            yield (name if name in required else f"{name}?"), schema


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema:
        return " | ".join(f'"{choice}"' for choice in schema["enum"])
    return str(schema.get("type", "any"))
