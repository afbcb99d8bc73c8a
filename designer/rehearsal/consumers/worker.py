"""Consumer of a worker: the messages of the servers about runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from channels.consumer import AsyncConsumer

from designer.rehearsal import live

log = logging.getLogger(__name__)

_TASKS: set[asyncio.Task[None]] = set()


class WorkerConsumer(AsyncConsumer):
    """Consumer that starts a task for each message, so that no message delays the next one."""

    async def runs_queued(self, message: dict[str, Any]) -> None:
        """Claim queued runs."""
        live.wake()

    async def run_updated(self, message: dict[str, Any]) -> None:
        """Apply the current instructions to a run of this worker."""
        _start(live.update_here(message["conversation"]))

    async def run_taken(self, message: dict[str, Any]) -> None:
        """Stop driving a run that a server ends, and reply with its unfinished answers."""
        _start(live.give_up(message["conversation"], message["fence"], message["reply"]))

    async def answers_requested(self, message: dict[str, Any]) -> None:
        """Publish the answers in progress as a whole."""
        live.repeat_answers(message["conversation"])


def _start(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    _TASKS.add(task)
    task.add_done_callback(_see_end)


def _see_end(task: asyncio.Task[None]) -> None:
    """Log an error, which only concerns one message."""
    _TASKS.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("A message of a server was not processed: %s", error)
