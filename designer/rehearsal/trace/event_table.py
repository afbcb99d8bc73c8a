"""The entry of every event type, in the order of a typical conversation."""

from __future__ import annotations

from typing import get_args

from designer.rehearsal.trace.event_entries import (
    handoffs,
    runs,
    subtasks,
    supervision,
    tools,
    turns,
)
from designer.rehearsal.trace.event_entries.entry import Entries
from orchestration import events as e

_ENTRIES: Entries = {
    **runs.ENTRIES,
    **turns.ENTRIES,
    **tools.ENTRIES,
    **subtasks.ENTRIES,
    **handoffs.ENTRIES,
    **supervision.ENTRIES,
}

TABLE: Entries = {event_type: _ENTRIES[event_type] for event_type in get_args(e.Event)}
"""The entry of each event type, in the order of the union."""

CATEGORIES = tuple(dict.fromkeys(entry.category for entry in TABLE.values()))
"""Each category once, in the order of a typical conversation."""


def type_names(*event_types: type[e.Event]) -> list[str]:
    """Return the names of event types: `turn.started`."""
    return [str(event_type.__struct_config__.tag) for event_type in event_types]


TURN_TYPES = type_names(
    *(event_type for event_type in TABLE if issubclass(event_type, e.TurnEvent))
)
"""Names of the event types that have the number of a turn."""
