"""Websockets: who may come in, what they may ask for, and what they are sent.

A consumer is thin. It handles one message at a time, so it awaits nothing but the database: runs
are tasks of `designer.live`, and go on whether or not anyone is connected.
"""

from designer.consumers.conversation import ConversationConsumer
from designer.consumers.editor import EditorConsumer
from designer.consumers.reader import NOT_ALLOWED, TOO_MUCH, TOO_SLOW
from designer.consumers.watching import WatchConsumer

__all__ = [
    "NOT_ALLOWED",
    "TOO_MUCH",
    "TOO_SLOW",
    "ConversationConsumer",
    "EditorConsumer",
    "WatchConsumer",
]
