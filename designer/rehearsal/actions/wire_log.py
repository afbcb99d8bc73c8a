"""Actions on the wire log of a conversation: switch it, record an exchange."""

from __future__ import annotations

from functools import partial

import msgspec
from django.db import transaction

from designer.core import atomic_action, notify_conversation
from designer.models import Conversation, Exchange
from orchestration.providers import WireExchange

MAX_KEPT = 50
"""Maximum number of exchanges of one conversation; the oldest are deleted."""


@atomic_action
def switch_log(*, conversation: Conversation, is_on: bool) -> Conversation:
    """Switch the log on, or switch it off and delete its exchanges; notify all open pages.

    Switching it on also deletes any exchange that was recorded while it was switched off.
    """
    if not (is_on and conversation.is_logged):
        conversation.exchanges.all().delete()
    conversation.is_logged = is_on
    conversation.save(update_fields=["is_logged"])
    transaction.on_commit(partial(notify_conversation, conversation.pk))
    return conversation


def record_exchange(
    *, conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange
) -> Exchange | None:
    """Record an exchange, unless the log is off, and delete the oldest above the limit."""
    if not _is_logged(conversation_id):
        return None
    row = Exchange(
        conversation_id=conversation_id,
        session=session,
        run=run,
        turn=turn,
        body=msgspec.to_builtins(exchange),
    )
    row.full_clean()
    return row if _store(row) else None


def _is_logged(conversation_id: int) -> bool:
    return Conversation.objects.filter(pk=conversation_id, is_logged=True).exists()


@atomic_action
def _store(row: Exchange) -> bool:
    """Store an exchange; return False if the log was switched off meanwhile."""
    if not _is_logged(row.conversation_id):
        return False
    row.save()
    rows = Exchange.objects.filter(conversation_id=row.conversation_id).order_by("-pk")
    for oldest in rows.values_list("pk", flat=True)[MAX_KEPT : MAX_KEPT + 1]:
        rows.filter(pk__lte=oldest).delete()
    return True
