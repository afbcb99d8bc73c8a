"""Context of a transition in the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from designer.canvas import is_handoff
from designer.editor.forms.payload import PayloadForm, fields_of, payload_rows
from designer.editor.forms.stage import TransitionForm
from designer.editor.fragments.field_issues import field_issues
from orchestration.definition import PipelineDefinition, Transition
from orchestration.graph import can_be_taken
from orchestration.handoff import handoff_tool_names
from orchestration.validation import Issue


def transition(
    definition: PipelineDefinition, edge: Transition, token: str, issues: Sequence[Issue]
) -> dict[str, Any]:
    """Return the forms of a transition and its payload: `rows` is None for a payload as JSON.

    Unused settings are shown while they have values, so that they can be removed.
    """
    auto = {"auto_id": f"{token}-%s"}
    form = TransitionForm.showing(definition, edge, **auto)
    payload = PayloadForm.showing(edge, _default_tool_name(definition, edge), **auto)
    for part in (form, payload):
        part.show_issues(field_issues(issues, "transition", (edge.source, edge.target), part.PATHS))
    fields = fields_of(edge.input_schema)
    return {
        "transition": edge,
        "stage": definition.stages_by_phase[edge.source],
        "form": form,
        "payload": payload,
        "rows": None if fields is None else payload_rows(fields, token),
        **transition_effect(definition, edge),
    }


def transition_effect(definition: PipelineDefinition, edge: Transition) -> dict[str, Any]:
    """Return the context that depends on the stages of a transition and on the settings."""
    has_tool = is_handoff(definition, edge)
    return {
        "is_filtered": has_tool or edge.input_filter.keep != "full",
        "has_payload": has_tool or edge.input_schema is not None or edge.tool_name is not None,
        "use": _use(definition, edge),
    }


def _default_tool_name(definition: PipelineDefinition, edge: Transition) -> str:
    """Return the default name of a transition's tool."""
    unnamed = edge.model_copy(update={"input_schema": edge.input_schema or {}, "tool_name": None})
    outgoing = definition.transitions_from[edge.source]
    transitions = tuple(unnamed if other == edge else other for other in outgoing)
    changed = definition.model_copy(update={"transitions": transitions})
    return handoff_tool_names(edge.source, changed)[edge.target]


def _use(definition: PipelineDefinition, edge: Transition) -> str:
    """Return the effect of a transition that is not a handoff between models."""
    source, target = (definition.stages_by_phase[phase] for phase in (edge.source, edge.target))
    match definition.topology, can_be_taken(definition, edge):
        case "workflow", True:
            return f"The answer of {edge.source} is the input of {edge.target}."
        case "workflow", False:
            return "A workflow follows only next transitions: this one is ignored."
        case "team", True:
            return f"The lead in {edge.source} delegates to {edge.target} and receives the answer."
        case "team", False:
            return "In a team only the entry delegates: this transition is ignored."
        case _, False:
            return "A group follows only its next transition: this one is ignored."
    if source.kind == "group":
        return f"When the group in {edge.source} has answered, {edge.target} continues."
    return "The human sees the whole conversation." if target.kind == "human" else ""
