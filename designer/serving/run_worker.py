"""Worker process: it drives the runs of conversations outside of the servers."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from secrets import token_hex
from socket import gethostname
from typing import Any

from channels.layers import get_channel_layer
from channels.worker import Worker
from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection

from designer.core import in_database, return_connection
from designer.rehearsal import (
    BEAT_SECONDS,
    capacity,
    count_unreplayable,
    delete_heartbeat,
    hand_over,
    record_heartbeat,
    shut_down,
    work,
)
from designer.serving.layer_check import channel_layer_problem
from designer.serving.migration_state import require_migrated
from designer.serving.server_lock import ServerStartError
from orchestration.cancellation import end_tasks
from orchestration.events import EVENT_FORMAT

RETRY_SECONDS = 1.0
"""Seconds before a failed part of the worker starts again."""

HAND_OVER_SECONDS = 8.0
"""Maximum seconds for the next events of the runs when the worker stops: less than the ten seconds
after which a container is killed."""

log = logging.getLogger(__name__)


class RunWorker(Worker):
    """Channels' worker with a claim loop: the messages of its channels only wake it.

    No error ends it. The first SIGTERM or SIGINT hands each run over at its next recorded event,
    and the second one at once.
    """

    def __init__(self, *, concurrency: int, announce: Callable[[], None], **options: Any) -> None:
        super().__init__(**options)
        self.concurrency = concurrency
        self._announce = announce
        self._stops = asyncio.Semaphore(0)
        self._name = f"{gethostname()[:80]}:{os.getpid()}:{token_hex(4)}"
        self._left = 0

    def stop(self) -> None:
        """Hand the runs over and end the worker, at the second call without waiting."""
        self._stops.release()

    async def arun(self) -> None:
        """Work until a signal."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.stop)
        await super().arun()

    async def handle(self) -> None:
        """Listen and drive runs until `stop`."""
        # Cancelling the handler of Channels would leave its listeners until the loop closes.
        listening = [asyncio.create_task(self.listener(channel)) for channel in self.channels]
        working = asyncio.create_task(_repeated(lambda: work(self.concurrency)))
        beating = asyncio.create_task(_repeated(self._beat))
        self._announce()
        await self._stops.acquire()
        leaving = asyncio.create_task(hand_over(within=HAND_OVER_SECONDS))
        urged = asyncio.create_task(self._stops.acquire())
        await asyncio.wait([leaving, urged], return_when=asyncio.FIRST_COMPLETED)
        await end_tasks([leaving, urged, working, beating])
        with suppress(AnyDatabaseError):  # it counts as dead soon
            await in_database(delete_heartbeat, name=self._name)
        await shut_down()
        await end_tasks(listening)

    async def _beat(self) -> None:
        """Record signs of life, and log the runs that this version leaves to others."""
        while True:
            runs, limit = capacity()
            await in_database(record_heartbeat, name=self._name, runs=runs, capacity=limit)
            left = await in_database(count_unreplayable, event_format=EVENT_FORMAT)
            if left and left != self._left:
                log.warning(
                    "%s runs were recorded by a newer version of Baton, and this worker cannot "
                    "continue them: update it.",
                    left,
                )
            self._left = left
            await asyncio.sleep(BEAT_SECONDS)

    async def listener(self, channel: str) -> None:
        """Receive the messages of a channel; subscribe anew after a failure of the layer."""

        async def listen() -> None:
            try:
                await super(RunWorker, self).listener(channel)
            except Exception:
                await self.channel_layer.flush()  # a failed subscription would never be repeated
                raise

        await _repeated(listen)


def require_services() -> None:
    """Raise `ServerStartError` if the worker lacks its settings, database or channel layer."""
    if settings.RUNS != "workers":
        raise ServerStartError(
            "BATON_RUNS is not workers, so the servers drive the runs: set BATON_RUNS=workers for "
            "servers and workers, and start again."
        )
    if connection.vendor != "postgresql":
        raise ServerStartError(
            "Workers need PostgreSQL: set DATABASE_URL to postgresql://… and start again."
        )
    require_migrated()
    return_connection()  # this thread needs none from now on
    get_channel_layer()  # its modules are imported before the time of the check begins
    if problem := asyncio.run(channel_layer_problem()):
        raise ServerStartError(f"{problem} Then start the worker again.")


async def _repeated(work: Callable[[], Awaitable[None]]) -> None:
    """Do endless work; start it again after an error."""
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - no error may end the worker
            log.warning("A part of the worker starts again after an error: %r", error)
        await asyncio.sleep(RETRY_SECONDS)
