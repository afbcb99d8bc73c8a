"""Refresh rules of the inspector: the edits after which it is rendered again."""

from __future__ import annotations

from collections.abc import Mapping

from designer.core import Change, PageState, Selection
from designer.editor.fragments.inspector import existing, transition_of
from designer.editor.fragments.model_preview import agent_preview, stage_preview
from designer.editor.fragments.transition import transition_effect
from orchestration.definition import Frozen, PipelineDefinition


def selected_after(change: Change, selection: Selection) -> Selection:
    """Return the selection after an edit: the pipeline if the selected part is deleted."""
    if change.definition is not None:
        return existing(change.definition, selection)
    parts = _annotations(change, selection)
    is_deleted = selection.key in parts and not parts[selection.key]
    return Selection() if is_deleted else selection


def follow_renames(change: Change, shown: PageState) -> PageState:
    """Return the page with the new name of the selected part; unsaved text keeps its form."""
    selection = shown.selection
    if shown.typing in ("typed", "gone"):
        return shown
    before, after = change.before, change.after
    match selection.kind:
        case "stage":
            key = _new_phase(change, selection.key)
        case "agent":
            key = _new_key(selection.key, before.agents, after.agents, "id", "name")
        case "tool":
            key = _new_key(selection.key, before.tools, after.tools, "name")
        case "transition":
            key = ">".join(_new_phase(change, end) for end in selection.key.split(">"))
        case _:
            return shown
    return shown if key == selection.key else shown.selecting(selection.kind, key)


def _new_phase(change: Change, phase: str) -> str:
    """Return the new name of a stage; its agent may have changed since, but not its place."""
    before, after = change.before, change.after
    is_deleted = phase in after.stages and after.stages[phase] is None
    place = before.positions.get(phase) if is_deleted else None
    for new, stage in after.stages.items():
        if place and stage and before.stages[new] is None and after.positions.get(new) == place:
            return new
    return _new_key(phase, before.stages, after.stages, "phase")


def _new_key(
    key: str, before: Mapping[str, Frozen | None], after: Mapping[str, Frozen | None], *names: str
) -> str:
    """Return the key of the new part that differs from the deleted part only by these names."""
    deleted = before.get(key)
    if deleted is None or after[key] is not None:
        return key
    old_names = {name: getattr(deleted, name) for name in names}
    for new, part in after.items():
        if part and before[new] is None and part.model_copy(update=old_names) == deleted:
            return new
    return key


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
                or (shown.tab == "agent" and bool(after.rules))
            )
        case "agent":
            return selection.key in after.agents or bool(after.stages or after.rules)
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
