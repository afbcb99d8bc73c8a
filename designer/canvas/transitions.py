"""Lines and labels of transitions on the canvas, from a definition."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from designer.definitions import transition_key
from orchestration.definition import PipelineDefinition, Transition
from orchestration.graph import backward_transitions, can_be_taken
from orchestration.handoff import handoff_tool_names

LABEL_LENGTH = 24
"""Maximum number of characters of a label."""

OPENING = re.compile(r"^(when|if|once)\b( it is| there is)?( the| an?)?\b *", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """Content of a transition's line. The page computes its path."""

    source: str
    target: str
    kind: str
    look: Literal["next", "return", "idle"]
    description: str
    title: str
    """Accessible name: `Next from intake to review`."""
    effect: str
    """One or two words: `next`, `return`, `branch`, `delegates` or `not followed`."""
    label: str
    """Its label: the first words of its condition, or its effect; and `{3}` for a payload."""
    tool: str
    """The name of its own handoff tool; empty without one."""
    dom_id: str
    key: str

    @property
    def accessible_name(self) -> str:
        """Return the title with the tool and the description of the transition."""
        tool = f", by {self.tool}" if self.tool else ""
        return (
            f"{self.title}{tool}: {self.description}" if self.description else f"{self.title}{tool}"
        )


def edge_lines(
    definition: PipelineDefinition,
    transitions: Iterable[Transition],
    back: AbstractSet[tuple[str, str]] | None = None,
) -> list[EdgeLine]:
    """Return the lines of transitions. `back` holds the ends of those that lead back, if known.

    A transition from or to a stage that does not exist has no line.
    """
    back = backward_transitions(definition) if back is None else back
    return [
        _line(definition, edge, (edge.source, edge.target) in back)
        for edge in transitions
        if has_both_ends(definition, edge)
    ]


def has_both_ends(definition: PipelineDefinition, transition: Transition) -> bool:
    """Report whether both stages of a transition exist."""
    stages = definition.stages_by_phase
    return transition.source in stages and transition.target in stages


def is_handoff(definition: PipelineDefinition, transition: Transition) -> bool:
    """Report whether a model takes a transition by a handoff, so that it can have a payload."""
    if definition.topology not in ("pipeline", "swarm"):
        return False
    if not has_both_ends(definition, transition):
        return False
    stages = definition.stages_by_phase
    source, target = stages[transition.source], stages[transition.target]
    return source.kind == "agent" and target.kind != "human"


def edge_id(source: str, target: str) -> str:
    """Return the id of a transition's element: `edge-intake--review`.

    If a phase contains `--`, the separator is two dots, which no phase contains.
    """
    separator = ".." if "--" in source or "--" in target else "--"
    return f"edge-{source}{separator}{target}"


def first_words(text: str) -> str:
    """Return the first words of a condition, shortened to a label.

    "When" and "if" are left out: the field is called "When to take it".
    """
    words = OPENING.sub("", " ".join(text.split())).rstrip(".")
    if len(words) <= LABEL_LENGTH:
        return words
    whole, _, _ = words[:LABEL_LENGTH].rpartition(" ")
    start = whole or words[: LABEL_LENGTH - 1]
    return f"{start.rstrip(' ,;:.')}…"


def _payload_mark(edge: Transition) -> str:
    """Return the number of fields of a payload in braces."""
    fields = (edge.input_schema or {}).get("properties")
    return f"{{{len(fields) if isinstance(fields, dict) else ''}}}"


def _line(definition: PipelineDefinition, edge: Transition, leads_back: bool) -> EdgeLine:
    followed = can_be_taken(definition, edge)
    has_payload = edge.input_schema is not None and is_handoff(definition, edge)
    tool = handoff_tool_names(edge.source, definition)[edge.target] if has_payload else ""
    effect = "next" if edge.kind == "next" else "return" if leads_back else "branch"
    if not followed:
        effect = "not followed"
    elif definition.topology == "team":
        effect = "delegates"
    label = first_words(edge.description) or effect
    return EdgeLine(
        source=edge.source,
        target=edge.target,
        kind=edge.kind,
        look="idle" if not followed else "next" if effect == "delegates" else edge.kind,
        description=edge.description,
        title=f"{effect.capitalize()} from {edge.source} to {edge.target}",
        effect=effect,
        label=f"{label} {_payload_mark(edge)}" if has_payload else label,
        tool=tool,
        dom_id=edge_id(edge.source, edge.target),
        key=transition_key(edge.source, edge.target),
    )
