"""Entries of the events of subtasks: members of a group, delegates, calls of the supervisor."""

from __future__ import annotations

from typing import Any

from designer.canvas import SUPERVISOR_CARD
from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.trace.event_entries.entry import Entries, entry, stage_highlight
from designer.rehearsal.trace.event_fragments import (
    canvas_effect,
    entry_part,
    is_assistant,
    is_member,
    is_supervision,
    open_entry,
    task_of,
    trace_row,
)
from orchestration import events as e


def _executor_details(event: e.SubtaskStarted | e.SubtaskCompleted, names: Names) -> dict[str, Any]:
    """Return the executor of a subtask: an agent or a group, or another pipeline."""
    is_pipeline = event.kind == "subtask"
    return {"executor": Speaker.named(event.title) if is_pipeline else names.speaker(event.title)}


def _subtask_highlight(
    event: e.SubtaskStarted | e.SubtaskCompleted, names: Names
) -> dict[str, str]:
    """Return the supervisor's card, which works during a call; other subtasks mark their stage."""
    if event.kind != "supervision":
        return stage_highlight(event, names)
    begins = isinstance(event, e.SubtaskStarted)
    return {"begins" if begins else "ends": SUPERVISOR_CARD}


ENTRIES: Entries = {
    e.SubtaskStarted: entry(
        "subtask",
        open_entry("member_started", task_of, is_member),
        open_entry("task_started", task_of, is_assistant),
        trace_row("subtask_started"),
        canvas_effect(is_supervision),
        details=_executor_details,
        highlight=_subtask_highlight,
        agui=event_mapping.subtask_started,
    ),
    e.SubtaskCompleted: entry(
        "subtask",
        entry_part("end", "member_completed", task_of, is_member),
        entry_part("end", "task_completed", task_of, is_assistant),
        entry_part("output", "task_output", task_of, is_assistant),
        trace_row("subtask_completed"),
        canvas_effect(is_supervision),
        details=_executor_details,
        highlight=_subtask_highlight,
        agui=event_mapping.subtask_completed,
    ),
}
