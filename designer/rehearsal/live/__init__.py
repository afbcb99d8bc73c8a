"""Runs in progress: start, record, publish and continue them.

A run is a task of the server process, not of a socket. Readers do not affect it: they get the
recorded events from the database, and the texts of the answers in progress from `streams`.
"""

from designer.rehearsal.live.commands import command, say, set_break_point, withdraw
from designer.rehearsal.live.runs import (
    NotEndedError,
    attend,
    continue_orphans,
    process_queue,
    shut_down,
    stop,
)
from designer.rehearsal.live.streams import Delta, group_of, streams_of

__all__ = [
    "Delta",
    "NotEndedError",
    "attend",
    "command",
    "continue_orphans",
    "group_of",
    "process_queue",
    "say",
    "set_break_point",
    "shut_down",
    "stop",
    "streams_of",
    "withdraw",
]
