"""Writes the wire log of conversations."""

from __future__ import annotations

from functools import partial

import msgspec
from django.db import transaction

from designer.core import notify_conversation
from designer.models import Conversation, Exchange
from orchestration.providers import WireExchange

MAX_KEPT = 50
"""Exchanges of one conversation; the older ones give way."""


@transaction.atomic
def switch_log(*, conversation: Conversation, is_on: bool) -> Conversation:
    """Keep the conversation's exchanges from now on, or keep them no more and forget them.

    Every page that shows the conversation hears of it. An exchange that was heard before and is
    written down as the log goes off is forgotten when it goes on.
    """
    if not (is_on and conversation.is_logged):
        conversation.exchanges.all().delete()
    conversation.is_logged = is_on
    conversation.save(update_fields=["is_logged"])
    transaction.on_commit(partial(notify_conversation, conversation.pk))
    return conversation


@transaction.atomic
def keep_exchange(
    *, conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange
) -> Exchange | None:
    """Keep an exchange, unless the log was switched off meanwhile; the oldest give way."""
    if not Conversation.objects.filter(pk=conversation_id, is_logged=True).exists():
        return None
    row = Exchange(
        conversation_id=conversation_id,
        session=session,
        run=run,
        turn=turn,
        body=msgspec.to_builtins(exchange),
    )
    row.full_clean()
    row.save()
    kept = Exchange.objects.filter(conversation_id=conversation_id).order_by("-pk")
    for older in kept.values_list("pk", flat=True)[MAX_KEPT : MAX_KEPT + 1]:
        kept.filter(pk__lte=older).delete()
    return row
