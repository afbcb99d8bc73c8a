"""Lines and labels of transitions on the canvas, from a definition."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from designer.definitions import transition_key
from orchestration.definition import PipelineDefinition, Transition
from orchestration.graph import can_be_taken, ways_back
from orchestration.handoff import handoff_tool_names

TYPED = "{ }"
"""The small mark of a handoff whose target needs to be told something."""


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """One transition as its line shows it. Where it runs is for the page to work out."""

    source: str
    target: str
    kind: str
    look: Literal["next", "return", "idle"]
    description: str
    title: str
    """Accessible name: `Next from intake to review`."""
    way: str
    """Effect in one or two words: its target, or that it is ignored."""
    label: str
    """Its label while it is looked at."""
    mark: str
    """Its label at other times; mostly none."""
    tool: str
    """The name of its own handoff tool; empty: it has none."""
    dom_id: str
    key: str


def edge_lines(
    definition: PipelineDefinition,
    transitions: Iterable[Transition],
    back: AbstractSet[tuple[str, str]] | None = None,
) -> list[EdgeLine]:
    """The lines of transitions; `back` holds those that lead back, where that is known already."""
    back = ways_back(definition) if back is None else back
    return [_line(definition, way, (way.source, way.target) in back) for way in transitions]


def is_told(definition: PipelineDefinition, way: Transition) -> bool:
    """Report whether a model takes a transition by a handoff, so that it can have a payload."""
    if definition.topology not in ("pipeline", "swarm"):
        return False
    source, target = (definition.stages_by_phase[phase] for phase in (way.source, way.target))
    return source.kind == "agent" and target.kind != "human"


def edge_id(source: str, target: str) -> str:
    """The id of a transition's element: `edge-intake--review`.

    A phase may hold `--` itself; two dots, which none holds, then keep the id its own.
    """
    separator = ".." if "--" in source or "--" in target else "--"
    return f"edge-{source}{separator}{target}"


def _line(definition: PipelineDefinition, way: Transition, leads_back: bool) -> EdgeLine:
    followed = can_be_taken(definition, way)
    typed = way.input_schema is not None and is_told(definition, way)
    tool = handoff_tool_names(way.source, definition)[way.target] if typed else ""
    does = "next" if way.kind == "next" else "return" if leads_back else "branch"
    if not followed:
        does = "not followed"
    elif definition.topology == "team":
        does = "delegates"
    quiet = "" if does == "next" or not followed else does
    return EdgeLine(
        source=way.source,
        target=way.target,
        kind=way.kind,
        look="idle" if not followed else "next" if does == "delegates" else way.kind,
        description=way.description,
        title=f"{does.capitalize()} from {way.source} to {way.target}",
        way=does,
        label=tool or does,
        mark=TYPED if typed else "delegates" if does == "delegates" else quiet,
        tool=tool,
        dom_id=edge_id(way.source, way.target),
        key=transition_key(way.source, way.target),
    )
