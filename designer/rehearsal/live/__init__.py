"""Runs as they happen: started, recorded, published, and taken up again.

A run is a task of the server process, not of a socket. Whoever wants to see it rings no model: the
recorded events come from the database, the texts of the answers under way from `streams`.
"""

from designer.rehearsal.live.commands import command, say, set_break_point, withdraw
from designer.rehearsal.live.runs import NotEndedError, attend, see_to, shut_down, stop
from designer.rehearsal.live.streams import Delta, group_of, streams_of

__all__ = [
    "Delta",
    "NotEndedError",
    "attend",
    "command",
    "group_of",
    "say",
    "see_to",
    "set_break_point",
    "shut_down",
    "stop",
    "streams_of",
    "withdraw",
]
