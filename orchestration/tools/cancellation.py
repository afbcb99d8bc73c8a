"""Telling a cancellation of ours from one that came from within."""

from __future__ import annotations

import asyncio


def being_cancelled() -> bool:
    """Report whether the current task is being cancelled.

    Where it is not, a `CancelledError` is the doing of whatever was awaited: a client's own scope,
    a callback that waited for something cancelled. It is then an error like any other.
    """
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
