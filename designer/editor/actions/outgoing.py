"""Changes to the outgoing transitions of a stage, as functions from value to value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from designer.core import GoneError
from designer.definitions import transition_key
from orchestration.definition import InputFilter, PipelineDefinition, Transition

Transitions = Mapping[str, Transition]
"""Transitions by their keys."""


@dataclass(frozen=True, kw_only=True)
class TransitionValues:
    """Values of the transition form."""

    kind: Literal["next", "return"]
    description: str
    input_filter: InputFilter | None = None
    """None keeps the current filter."""


def change_transition(
    outgoing: Transitions, key: str, values: TransitionValues
) -> dict[str, Transition]:
    """Return the changed transitions. A new `next` turns the old one into a return."""
    transition = outgoing[key]
    update = {
        "kind": values.kind,
        "description": values.description,
        "input_filter": values.input_filter or transition.input_filter,
    }
    changed = {key: transition.model_copy(update=update)}
    if values.kind == "next":
        for other_key, other in outgoing.items():
            if other_key != key and other.kind == "next":
                changed[other_key] = other.model_copy(update={"kind": "return"})
    return changed


def change_payload(
    transition: Transition, schema: dict[str, Any] | None, tool_name: str | None
) -> Transition:
    """Return the transition with another payload. Without a schema it has no tool name."""
    update = {"input_schema": schema, "tool_name": tool_name if schema is not None else None}
    return transition.model_copy(update=update)


def outgoing_transitions(definition: PipelineDefinition, key: str) -> dict[str, Transition]:
    """Return all transitions with the same source as the one with this key, by their keys."""
    source, _, target = key.partition(">")
    transitions = definition.transitions_from.get(source, ())
    outgoing = {transition_key(t.source, t.target): t for t in transitions}
    if key not in outgoing:
        raise GoneError(f"“{source}” does not lead to “{target}” any more.")
    return outgoing


def with_transitions(definition: PipelineDefinition, changed: Transitions) -> PipelineDefinition:
    """Return the definition with some transitions replaced."""
    transitions = (
        changed.get(transition_key(t.source, t.target), t) for t in definition.transitions
    )
    return definition.model_copy(update={"transitions": tuple(transitions)})
