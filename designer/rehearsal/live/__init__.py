"""Runs in progress: start, record, publish and continue them.

A run belongs to a process that drives runs, a server or a worker, not to a socket. Readers do not
affect it: they get the recorded events from the database, and the texts of the answers in progress
from `streams`.
"""

from designer.rehearsal.live.commands import command, say, set_break_point, withdraw
from designer.rehearsal.live.runs import (
    NotEndedError,
    announce,
    capacity,
    give_up,
    hand_over,
    process_queue,
    request_answers,
    shut_down,
    stop,
    update_here,
    wake,
    work,
)
from designer.rehearsal.live.streams import (
    Delta,
    group_of,
    notify_variants,
    repeat_answers,
    streams_of,
)
from designer.rehearsal.live.workers import WORKERS_CHANNEL

__all__ = [
    "WORKERS_CHANNEL",
    "Delta",
    "NotEndedError",
    "announce",
    "capacity",
    "command",
    "give_up",
    "group_of",
    "hand_over",
    "notify_variants",
    "process_queue",
    "repeat_answers",
    "request_answers",
    "say",
    "set_break_point",
    "shut_down",
    "stop",
    "streams_of",
    "update_here",
    "wake",
    "withdraw",
    "work",
]
