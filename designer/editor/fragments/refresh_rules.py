"""Refresh rules of the inspector: the edits after which it is rendered again."""

from __future__ import annotations

from collections.abc import Mapping

from designer.core import Change, PageState, Selection
from designer.editor.fragments.inspector import existing, transition_of
from designer.editor.fragments.model_preview import agent_preview, stage_preview
from designer.editor.fragments.transition import transition_effect
from orchestration.definition import PipelineDefinition


def selected_after(change: Change, selection: Selection) -> Selection:
    """Return the selection after an edit: the pipeline if the selected part is deleted."""
    if change.definition is not None:
        return existing(change.definition, selection)
    parts = _annotations(change, selection)
    is_deleted = selection.key in parts and not parts[selection.key]
    return Selection() if is_deleted else selection


def shows_annotation(change: Change, shown: PageState) -> bool:
    """Report whether the inspector shows a note or a frame that the edit touched."""
    return shown.selection.key in _annotations(change, shown.selection)


def _annotations(change: Change, selection: Selection) -> Mapping[str, object]:
    """Return the notes or frames that the edit touched, if such a part is selected."""
    after: dict[str, Mapping[str, object]] = {
        "note": change.after.notes,
        "frame": change.after.frames,
    }
    return after.get(selection.kind, {})


def shows_change(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the edit changed anything that the inspector shows."""
    if existing(definition, shown.selection) != shown.selection:
        return True
    return (
        _changes_names(change)
        or _touches(change, definition, shown)
        or _changes_preview(change, definition, shown)
    )


def _touches(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the edit touched the selected part or a part of its form."""
    after, selection = change.after, shown.selection
    match selection.kind:
        case "stage":
            phase = selection.key
            stage = definition.stages_by_phase[phase]
            return (
                phase in after.stages
                or any(phase in key.split(">") for key in after.transitions)
                or not after.agents.keys().isdisjoint(stage.agent_ids)
            )
        case "agent":
            return selection.key in after.agents or bool(after.stages)
        case "transition":
            return selection.key in after.transitions
        case "tool":
            return selection.key in after.tools or bool(after.agents)
        case "note" | "frame":
            return shows_annotation(change, shown)
        case "pipeline":
            return bool(after.settings.model_fields_set or after.tools)


def _changes_preview(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the edit changes the model preview or a transition's effect there.

    Both depend on other parts: transitions, other agents, their tools and the settings.
    """
    if shown.selection.kind not in ("stage", "agent", "transition"):
        return False
    was = change.was.definition if change.was else None
    if was is None or existing(was, shown.selection) != shown.selection:
        return True
    return _preview(was, shown) != _preview(definition, shown)


def _preview(definition: PipelineDefinition, shown: PageState) -> object:
    """Return the values in the inspector that depend on other parts."""
    key = shown.selection.key
    match shown.selection.kind:
        case "agent":
            return agent_preview(definition, key)
        case "stage" if shown.tab == "agent":
            return agent_preview(definition, definition.stages_by_phase[key].agent_id or "")
        case "stage":
            return stage_preview(
                definition, key
            ), definition.topology == "team" and definition.entry
        case _:
            edge = transition_of(definition, key)
            return edge and (
                stage_preview(definition, edge.source, edge.target),
                transition_effect(definition, edge),
            )


def _changes_names(change: Change) -> bool:
    """Report whether the edit added, deleted or renamed an item of a list in the inspector."""

    def name_of(part: object) -> object:
        return part and getattr(part, "name", "")

    kinds = ("stages", "agents", "tools")
    pairs = ((getattr(change.before, kind), getattr(change.after, kind)) for kind in kinds)
    return any(
        name_of(before[key]) != name_of(part)
        for before, after in pairs
        for key, part in after.items()
    )
