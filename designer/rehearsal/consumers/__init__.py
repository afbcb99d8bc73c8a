"""Websockets: who may come in, what they may ask for, and what they are sent.

A consumer is thin. It handles one message at a time, so it awaits nothing but the database: runs
are tasks of `designer.rehearsal.live`, and go on whether or not anyone is connected.
"""

from designer.rehearsal.consumers.conversation import ConversationConsumer
from designer.rehearsal.consumers.share_link import WatchConsumer

__all__ = [
    "ConversationConsumer",
    "WatchConsumer",
]
