"""Detection of the cause of a `CancelledError`."""

from __future__ import annotations

import asyncio


def being_cancelled() -> bool:
    """Report whether the current task is being cancelled.

    If it is not, a `CancelledError` comes from the awaited code, for example from a client's own
    cancel scope. Handle it like any other error.
    """
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
