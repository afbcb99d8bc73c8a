"""Websockets of rehearsals: permissions, requests and messages of their readers.

A consumer is thin. It handles one message at a time, so it awaits only the database: runs are tasks
of `designer.rehearsal.live`, and continue without connected readers.
"""

from designer.rehearsal.consumers.conversation import ConversationConsumer
from designer.rehearsal.consumers.share_link import WatchConsumer
from designer.rehearsal.consumers.worker import WorkerConsumer

__all__ = [
    "ConversationConsumer",
    "WatchConsumer",
    "WorkerConsumer",
]
