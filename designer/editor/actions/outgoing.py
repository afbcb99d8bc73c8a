"""The ways on from one stage, as they are once one of them is changed: from value to value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from designer.core import GoneError
from designer.definitions import transition_key
from orchestration.definition import InputFilter, PipelineDefinition, Transition

Ways = Mapping[str, Transition]
"""The ways on from a stage, by their keys."""


@dataclass(frozen=True, kw_only=True)
class TransitionValues:
    """Values of the transition form."""

    kind: Literal["next", "return"]
    description: str
    input_filter: InputFilter | None = None
    """None: the target is shown what it was."""


def change_transition(ways: Ways, key: str, values: TransitionValues) -> dict[str, Transition]:
    """Return the changed transitions. A new `next` turns the old one into a return."""
    way = ways[key]
    said = {
        "kind": values.kind,
        "description": values.description,
        "input_filter": values.input_filter or way.input_filter,
    }
    changed = {key: way.model_copy(update=said)}
    if values.kind == "next":
        for other, beside in ways.items():
            if other != key and beside.kind == "next":
                changed[other] = beside.model_copy(update={"kind": "return"})
    return changed


def change_payload(
    way: Transition, schema: dict[str, Any] | None, tool_name: str | None
) -> Transition:
    """The way with what its target needs to be told. Without that it has no tool of its own."""
    told = {"input_schema": schema, "tool_name": tool_name if schema is not None else None}
    return way.model_copy(update=told)


def outgoing_transitions(definition: PipelineDefinition, key: str) -> dict[str, Transition]:
    """The ways on from where a transition begins, by key; that one is among them."""
    source, _, target = key.partition(">")
    found = definition.transitions_from.get(source, ())
    ways = {transition_key(way.source, way.target): way for way in found}
    if key not in ways:
        raise GoneError(f"“{source}” does not lead to “{target}” any more.")
    return ways


def with_transitions(definition: PipelineDefinition, changed: Ways) -> PipelineDefinition:
    """The definition with these in place of those of their keys."""
    transitions = (
        changed.get(transition_key(way.source, way.target), way) for way in definition.transitions
    )
    return definition.model_copy(update={"transitions": tuple(transitions)})
