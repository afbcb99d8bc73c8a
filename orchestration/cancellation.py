"""Cancellation of tasks that may not end, and detection of its cause.

Libraries swallow cancellations: a cancelled task may continue, or may never end. So every wait for
a cancelled task has a time limit, and code around a library restores a swallowed cancellation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

END_SECONDS = 2.0
"""Maximum seconds to wait for the end of cancelled tasks."""

log = logging.getLogger(__name__)


def being_cancelled() -> bool:
    """Report whether the current task is being cancelled.

    If it is not, a `CancelledError` comes from the awaited code, for example from a client's own
    cancel scope. Handle it like any other error.
    """
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def end_tasks(tasks: Iterable[asyncio.Task[Any]], *, within: float = END_SECONDS) -> None:
    """Cancel tasks and wait at most `within` seconds for their end.

    An unresponsive task continues in the background; its end is ignored.
    """
    pending = [task for task in tasks if not task.done()]
    for task in pending:
        task.cancel()
        task.add_done_callback(_ignore_result)
    if not pending:
        return
    _, unresponsive = await asyncio.wait(pending, timeout=within)
    for task in unresponsive:
        log.warning("The task %s continues after its cancellation.", task.get_name())
        _UNRESPONSIVE.add(task)
        task.add_done_callback(_UNRESPONSIVE.discard)


@contextmanager
def restored_cancellation() -> Iterator[None]:
    """Raise `CancelledError` if the body swallowed a cancellation or turned it into an error."""
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    try:
        yield
    except Exception as error:
        if task is not None and task.cancelling() > before:
            raise asyncio.CancelledError from error
        raise
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError


_UNRESPONSIVE: set[asyncio.Task[Any]] = set()
"""Tasks that continue after their cancellation; a task without a reference could be collected."""


def _ignore_result(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # mark it as retrieved
