"""Listener that records the exchanges with models while a conversation's wire log is on."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from functools import partial

from django.core.exceptions import ValidationError
from django.db import Error as AnyDatabaseError

from designer.core import in_database
from designer.rehearsal.actions.wire_log import record_exchange
from orchestration.providers import TurnListener, WireExchange

log = logging.getLogger(__name__)

_TASKS: set[asyncio.Task[None]] = set()


def listener_of(conversation_id: int) -> TurnListener:
    """Return a listener that records a conversation's exchanges without delaying its run."""
    return partial(_listen, conversation_id)


def _listen(
    conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange
) -> None:
    work = _record(conversation_id, session, run, turn, exchange)
    task = asyncio.create_task(work, context=contextvars.Context())
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)


async def _record(
    conversation_id: int, session: str, run: str, turn: int, exchange: WireExchange
) -> None:
    keep = partial(record_exchange, conversation_id=conversation_id, session=session, run=run)
    try:
        await in_database(keep, turn=turn, exchange=exchange)
    except (AnyDatabaseError, ValidationError):  # a lost log must not cost an answer
        log.warning(
            "Conversation %s: an exchange was not recorded.", conversation_id, exc_info=True
        )


async def all_recorded() -> None:
    """Wait until all exchanges so far are recorded."""
    while _TASKS:
        await asyncio.gather(*_TASKS, return_exceptions=True)
