"""Rehearsals: conversations, the supervisor pane, the inbox and AG-UI."""

from designer.rehearsal.actions.heartbeats import (
    BEAT_SECONDS,
    count_unreplayable,
    delete_heartbeat,
    find_workers,
    record_heartbeat,
)
from designer.rehearsal.actions.leases import count_driven_runs, run_queue
from designer.rehearsal.consumers.conversation import ConversationConsumer
from designer.rehearsal.consumers.share_link import WatchConsumer
from designer.rehearsal.consumers.worker import WorkerConsumer
from designer.rehearsal.fragments.inbox import count_waiting
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import call_cost_of, prices_of_owner
from designer.rehearsal.live.providers import close_providers, owned_providers
from designer.rehearsal.live.remote_tools import own_remote_tools
from designer.rehearsal.live.runs import capacity, hand_over, shut_down, wake, work
from designer.rehearsal.live.workers import WORKERS_CHANNEL
from designer.rehearsal.retention import (
    expired_conversations,
    old_conversations,
    start_deletion,
    start_expiry,
)
from designer.rehearsal.trace.plain_text import plain, plain_lines
from designer.rehearsal.trace.trace_state import TraceState

__all__ = [
    "BEAT_SECONDS",
    "WORKERS_CHANNEL",
    "ConversationConsumer",
    "Names",
    "TraceState",
    "WatchConsumer",
    "WorkerConsumer",
    "call_cost_of",
    "capacity",
    "close_providers",
    "count_driven_runs",
    "count_unreplayable",
    "count_waiting",
    "delete_heartbeat",
    "expired_conversations",
    "find_workers",
    "hand_over",
    "old_conversations",
    "own_remote_tools",
    "owned_providers",
    "plain",
    "plain_lines",
    "prices_of_owner",
    "record_heartbeat",
    "run_queue",
    "shut_down",
    "start_deletion",
    "start_expiry",
    "wake",
    "work",
]
