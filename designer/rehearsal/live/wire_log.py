"""Keeps the exchanges of a conversation with its models, where its wire log is on."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from functools import partial

from django.core.exceptions import ValidationError
from django.db import Error as AnyDatabaseError

from designer.core import in_database
from designer.rehearsal.actions.wire_log import keep_exchange
from orchestration.providers import TurnListener, WireExchange

log = logging.getLogger(__name__)

_UNDER_WAY: set[asyncio.Task[None]] = set()


def listener_of(conversation_id: int) -> TurnListener:
    """Return a listener that records a conversation's exchanges without delaying its run."""
    return partial(_hear, conversation_id)


def _hear(conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange) -> None:
    work = _keep(conversation_id, session, run, turn, exchange)
    task = asyncio.create_task(work, context=contextvars.Context())
    _UNDER_WAY.add(task)
    task.add_done_callback(_UNDER_WAY.discard)


async def _keep(
    conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange
) -> None:
    keep = partial(keep_exchange, conversation_id=conversation_id, session=session, run=run)
    try:
        await in_database(keep, turn=turn, exchange=exchange)
    except (AnyDatabaseError, ValidationError):  # a log that is lost costs nobody an answer
        log.warning("Conversation %s: an exchange was not kept.", conversation_id, exc_info=True)


async def all_kept() -> None:
    """Wait until everything that was heard is written down."""
    while _UNDER_WAY:
        await asyncio.gather(*_UNDER_WAY, return_exceptions=True)
