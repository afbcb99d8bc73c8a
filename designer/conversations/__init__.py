"""Conversations: their sums, full-text search, and the pages that list them."""

from designer.conversations.first_words import hold_first_word
from designer.conversations.recording import (
    create_summary,
    index_conversation,
    start_summaries,
    summarise_event,
    update_summary,
)
from designer.conversations.retention import expired_by_pipeline
from designer.conversations.search import create_index
from designer.conversations.selections import address_after, selected
from designer.conversations.sums import CostOf

__all__ = [
    "CostOf",
    "address_after",
    "create_index",
    "create_summary",
    "expired_by_pipeline",
    "hold_first_word",
    "index_conversation",
    "selected",
    "start_summaries",
    "summarise_event",
    "update_summary",
]
