"""Rehearsals: conversations, the supervisor pane, the inbox and AG-UI."""

from designer.rehearsal.consumers.conversation import ConversationConsumer
from designer.rehearsal.consumers.share_link import WatchConsumer
from designer.rehearsal.consumers.worker import WorkerConsumer
from designer.rehearsal.fragments.inbox import count_waiting
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import call_cost_of, prices_of_owner
from designer.rehearsal.live.providers import close_providers, owned_providers
from designer.rehearsal.live.remote_tools import own_remote_tools
from designer.rehearsal.live.runs import hand_over, shut_down, wake, work
from designer.rehearsal.live.workers import WORKERS_CHANNEL
from designer.rehearsal.retention import old_conversations, start_deletion
from designer.rehearsal.trace.plain_text import plain, plain_lines
from designer.rehearsal.trace.trace_state import TraceState

__all__ = [
    "WORKERS_CHANNEL",
    "ConversationConsumer",
    "Names",
    "TraceState",
    "WatchConsumer",
    "WorkerConsumer",
    "call_cost_of",
    "close_providers",
    "count_waiting",
    "hand_over",
    "old_conversations",
    "own_remote_tools",
    "owned_providers",
    "plain",
    "plain_lines",
    "prices_of_owner",
    "shut_down",
    "start_deletion",
    "wake",
    "work",
]
