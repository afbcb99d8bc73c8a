"""A pipeline with one typed handoff."""

from __future__ import annotations

from typing import Any

from orchestration.definition import PipelineDefinition, Transition
from tests.orchestration.topologies import chain

FIELDS = {
    "type": "object",
    "properties": {"order": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["order"],
}


def typed(**fields: Any) -> PipelineDefinition:
    """Return two stages; the handoff from `a` to `b` needs an order, and has `fields`."""
    way = Transition(source="at-a", target="at-b", input_schema=FIELDS, **fields)
    return chain("a", "b", topology="pipeline", transitions=[way])
