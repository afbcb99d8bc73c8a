"""Conversations: their sums, full-text search, and the pages that list them."""

from designer.conversations.recording import (
    create_summary,
    index_conversation,
    start_summaries,
    summarise_event,
    update_summary,
)
from designer.conversations.search import create_index
from designer.conversations.sums import CostOf

__all__ = [
    "CostOf",
    "create_index",
    "create_summary",
    "index_conversation",
    "start_summaries",
    "summarise_event",
    "update_summary",
]
