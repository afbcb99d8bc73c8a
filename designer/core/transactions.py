"""Transactions of actions, repeated while the database is busy.

SQLite has one writer at a time, and PostgreSQL may end one of two transactions that wait for each
other. Every action is one short transaction, so it can be repeated as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from django.db import connection, transaction

from designer.core.database_failures import is_busy

P = ParamSpec("P")
T = TypeVar("T")

BUSY_ATTEMPTS = 3
"""Maximum number of attempts; each waits as long as the busy timeout of the database."""

BUSY_SECONDS = 12.0
"""Seconds after which no further attempt begins."""


def atomic_action(action: Callable[P, T]) -> Callable[P, T]:
    """Decorate an action: it is one transaction, which is repeated while the database is busy."""
    in_transaction = transaction.atomic(action)

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return repeat_while_busy(partial(in_transaction, *args, **kwargs))

    return run


def repeat_while_busy(work: Callable[[], T]) -> T:
    """Call a function again, a limited number of times, while the database is busy.

    Inside a transaction it is called once: only the transaction as a whole can be repeated.
    """
    import stamina  # here because the import is slow

    if connection.in_atomic_block:
        return work()
    for attempt in stamina.retry_context(
        on=is_busy,
        attempts=BUSY_ATTEMPTS,
        timeout=BUSY_SECONDS,
        wait_initial=0.05,
        wait_max=0.5,
        wait_jitter=0.05,
    ):
        with attempt:
            return work()
    raise AssertionError("stamina makes at least one attempt")
