"""Context of a transition in the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from designer.canvas import is_handoff
from designer.editor.forms.payload import PayloadForm, fields_of, payload_rows
from designer.editor.forms.stage import TransitionForm
from designer.editor.fragments.field_issues import remarks
from orchestration.definition import PipelineDefinition, Transition
from orchestration.graph import can_be_taken
from orchestration.handoff import handoff_tool_names
from orchestration.validation import Issue


def transition(
    definition: PipelineDefinition, way: Transition, token: str, issues: Sequence[Issue]
) -> dict[str, Any]:
    """Its form, and what its target needs to be told: `rows`, or None where it takes JSON.

    What nobody uses is shown as long as something is said there, so that it can be taken away.
    """
    auto = {"auto_id": f"{token}-%s"}
    form = TransitionForm.showing(definition, way, **auto)
    payload = PayloadForm.showing(way, _usual_name(definition, way), **auto)
    for shown in (form, payload):
        shown.remark(remarks(issues, "transition", (way.source, way.target), shown.PATHS))
    fields = fields_of(way.input_schema)
    return {
        "transition": way,
        "stage": definition.stages_by_phase[way.source],
        "form": form,
        "payload": payload,
        "rows": None if fields is None else payload_rows(fields, token),
        **told_of(definition, way),
    }


def told_of(definition: PipelineDefinition, way: Transition) -> dict[str, Any]:
    """Return the effect of a transition, given the stages and settings around it."""
    told = is_handoff(definition, way)
    return {
        "is_filtered": told or way.input_filter.keep != "full",
        "is_handoff": told or way.input_schema is not None or way.tool_name is not None,
        "use": _use(definition, way),
    }


def _usual_name(definition: PipelineDefinition, way: Transition) -> str:
    """Return the default name of a transition's tool."""
    unnamed = way.model_copy(update={"input_schema": way.input_schema or {}, "tool_name": None})
    ways = definition.transitions_from[way.source]
    among = tuple(unnamed if other == way else other for other in ways)
    around = definition.model_copy(update={"transitions": among})
    return handoff_tool_names(way.source, around)[way.target]


def _use(definition: PipelineDefinition, way: Transition) -> str:
    """Return the effect of a transition that is not a handoff between models."""
    source, target = (definition.stages_by_phase[phase] for phase in (way.source, way.target))
    match definition.topology, can_be_taken(definition, way):
        case "workflow", True:
            return f"What {way.source} answers is what {way.target} works on."
        case "workflow", False:
            return "A workflow follows the next stage alone: this way is not taken."
        case "team", True:
            return f"The lead in {way.source} delegates to {way.target}, and is given the answer."
        case "team", False:
            return "In a team only the stage of the entry delegates: this way is not taken."
        case _, False:
            return "A group moves on to its next stage alone: this way is not taken."
    if source.kind == "group":
        return f"When the group in {way.source} has answered, {way.target} goes on by itself."
    return "The human sees the whole conversation." if target.kind == "human" else ""
