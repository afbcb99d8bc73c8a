"""Runs in progress: start, record, publish and continue them.

A run belongs to a process that drives runs, not to a socket. Readers do not
affect it: they get the recorded events from the database, and the texts of the answers in progress
from `streams`.
"""

from designer.rehearsal.live.commands import command, say, set_break_point, withdraw
from designer.rehearsal.live.runs import (
    NotEndedError,
    announce,
    process_queue,
    shut_down,
    stop,
    wake,
    work,
)
from designer.rehearsal.live.streams import Delta, group_of, notify_variants, streams_of

__all__ = [
    "Delta",
    "NotEndedError",
    "announce",
    "command",
    "group_of",
    "notify_variants",
    "process_queue",
    "say",
    "set_break_point",
    "shut_down",
    "stop",
    "streams_of",
    "wake",
    "withdraw",
    "work",
]
