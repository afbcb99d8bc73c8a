"""Helpers of the tests of actions."""

from __future__ import annotations

from typing import Any

from designer.core.undo import last_edit
from designer.editor.actions import topology
from designer.editor.actions.stages import StageValues
from orchestration.definition import InputFilter, PipelineDefinition


def label(actor: dict[str, Any]) -> str | None:
    """Return the label of the last edit."""
    edit = last_edit(**actor)
    return edit.label if edit else None


def values(definition: PipelineDefinition, phase: str, /, **changes: Any) -> StageValues:
    """Return the current values of a stage's form, with changes."""
    stage = definition.stages_by_phase[phase]
    transitions = definition.transitions_from.get(phase, ())
    current = {
        "phase": phase,
        "kind": stage.kind,
        "agent_id": stage.agent_id,
        "new_agent": "",
        "next_phase": next((t.target for t in transitions if t.kind == "next"), None),
        "returns": tuple(t.target for t in transitions if t.kind == "return"),
        "description": stage.description,
    }
    return StageValues(**(current | changes))


def fill_transition(actor: dict[str, Any], key: str) -> None:
    """Set all fields of a transition, which becomes a `next`."""
    topology.update_transition(
        **actor,
        key=key,
        kind="next",
        description="When the work is done",
        input_filter=InputFilter(keep="last", count=3),
    )
    schema = {"type": "object", "properties": {"sum": {"type": "number"}}}
    topology.update_payload(**actor, key=key, schema=schema, tool_name="pass_on")
