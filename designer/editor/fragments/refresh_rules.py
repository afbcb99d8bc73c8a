"""Refresh rules of the inspector: the edits after which it is rendered anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from designer.core import Change, PageState, Selection
from designer.editor.fragments.inspector import present, way_of
from designer.editor.fragments.model_preview import agent_sights, sights
from designer.editor.fragments.transition import told_of
from orchestration.definition import PipelineDefinition


def selected_after(change: Change, selection: Selection) -> Selection:
    """Return the selection after an edit: the pipeline if the selected part is gone."""
    if change.definition is not None:
        return present(change.definition, selection)
    gone = (
        selection.key in _paper(change, selection) and not _paper(change, selection)[selection.key]
    )
    return Selection() if gone else selection


def shows_paper(change: Change, shown: PageState) -> bool:
    """Report whether the inspector shows a note or a frame that the edit touched."""
    return shown.selection.key in _paper(change, shown.selection)


def _paper(change: Change, selection: Selection) -> Mapping[str, object]:
    """The parts that an edit touched of the kind that is selected, if that is paper."""
    after: dict[str, Mapping[str, object]] = {
        "note": change.after.notes,
        "frame": change.after.frames,
    }
    return after.get(selection.kind, {})


def shows(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the inspector shows something that the edit changed."""
    if present(definition, shown.selection) != shown.selection:
        return True
    names: Iterable[object] = _came_or_went(change)
    if any(True for _ in names):
        return True
    return _touches(change, definition, shown) or _reads_otherwise(change, definition, shown)


def _touches(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the edit touched the selected part or a part of its form."""
    after, selection = change.after, shown.selection
    match selection.kind:
        case "stage":
            phase = selection.key
            stage = definition.stages_by_phase[phase]
            ways = any(phase in key.split(">") for key in after.transitions)
            return (
                ways or phase in after.stages or not after.agents.keys().isdisjoint(stage.agent_ids)
            )
        case "agent":
            return selection.key in after.agents or bool(after.stages)
        case "transition":
            return selection.key in after.transitions
        case "tool":
            return selection.key in after.tools or bool(after.agents)
        case "note" | "frame":
            return shows_paper(change, shown)
        case "pipeline":
            return bool(after.settings.model_fields_set or after.tools)


def _reads_otherwise(change: Change, definition: PipelineDefinition, shown: PageState) -> bool:
    """Report whether the edit changes the model preview or a transition's effect there.

    Both come from all around: from ways, other agents, their tools and the settings.
    """
    if shown.selection.kind not in ("stage", "agent", "transition"):
        return False
    was = change.was.definition if change.was else None
    if was is None or present(was, shown.selection) != shown.selection:
        return True
    return _read(was, shown) != _read(definition, shown)


def _read(definition: PipelineDefinition, shown: PageState) -> object:
    """Return the values of the rest of the pipeline that the inspector shows."""
    key = shown.selection.key
    match shown.selection.kind:
        case "agent":
            return agent_sights(definition, key)
        case "stage" if shown.tab == "agent":
            return agent_sights(definition, definition.stages_by_phase[key].agent_id or "")
        case "stage":
            return sights(definition, key), definition.topology == "team" and definition.entry
        case _:
            way = way_of(definition, key)
            return way and (sights(definition, way.source, way.target), told_of(definition, way))


def _came_or_went(change: Change) -> Iterable[str]:
    """Names that a list in the inspector holds now, or holds no more."""
    for name in ("stages", "agents", "tools"):
        before, after = getattr(change.before, name), getattr(change.after, name)
        for key, part in after.items():
            if (part is None) != (before[key] is None) or getattr(part, "name", "") != getattr(
                before[key], "name", ""
            ):
                yield key
