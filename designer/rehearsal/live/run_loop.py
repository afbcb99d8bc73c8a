"""Claim loop of a process: it claims queued runs up to its capacity, and drives them.

Only this loop starts drivers, in a server and in a worker. A signal or the sweep starts a claim;
one task renews the leases of all drivers; a driver without progress loses its lease.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from cachetools import TTLCache
from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection

from designer.core import in_database
from designer.instrumentation import report_takeover
from designer.models import Conversation
from designer.rehearsal.actions.leases import Lease, claim_runs, release_lease, renew_leases
from designer.rehearsal.actions.orphans import overdue_conversations
from designer.rehearsal.live.run_driver import RunDriver, task_of
from orchestration.cancellation import end_tasks

log = logging.getLogger(__name__)

SWEEP_SECONDS = 1.0
"""Maximum seconds between two sweeps."""

MAX_OVERDUE = 200
"""Maximum number of conversations with overdue commands in one sweep."""

MAX_UNKNOWN, UNKNOWN_SECONDS = 1_000, 60.0
"""Maximum number of runs that are left to other versions, and seconds until another attempt."""


class RunLoop:
    """Claims and drives runs of this process, at most `capacity` at the same time."""

    def __init__(self, process_queue: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        self.drivers: dict[int, RunDriver] = {}
        """Drivers by conversation."""
        self.limit: int | None = None
        """Maximum number of runs at the same time, if it differs from the setting."""
        self.is_working = False
        """True if this process drives runs, whatever the setting is."""
        self.is_closing = False
        """True if no more runs are claimed."""
        self._process_queue = process_queue
        self._queues: dict[int, asyncio.Task[None]] = {}
        self._unknown: TTLCache[int, bool] = TTLCache(MAX_UNKNOWN, UNKNOWN_SECONDS)
        """Runs that this version of Baton cannot replay."""
        self._is_due = False
        self._claiming: asyncio.Task[None] | None = None
        self._renewing: asyncio.Task[None] | None = None
        _LOOPS.add(self)

    @property
    def capacity(self) -> int:
        """Maximum number of runs at the same time."""
        return self.limit or settings.MAX_RUNS

    async def sweep(self) -> None:
        """Claim queued runs and process overdue commands, at once and at intervals, until closed.

        It finds the work that a lost message or a dead process has left.
        """
        self.is_working = True
        while not self.is_closing:
            self.wake()
            try:
                for conversation_id in await in_database(overdue_conversations, limit=MAX_OVERDUE):
                    self.process_queue(conversation_id)
            except AnyDatabaseError as error:
                log.warning("The queue was not checked, because the database failed: %s", error)
            await asyncio.sleep(min(settings.LEASE_SECONDS / 3, SWEEP_SECONDS))

    def wake(self) -> None:
        """Claim queued runs in a task."""
        self._is_due = not self.is_closing
        if self._is_due and (self._claiming is None or self._claiming.done()):
            self._claiming = task_of(self._claim(), name="claim-runs")

    def process_queue(self, conversation_id: int) -> None:
        """Process the pending commands of a conversation in a task."""
        if conversation_id in self._queues or self.is_closing:
            return
        task = task_of(self._process_queue(conversation_id), name=f"queue-{conversation_id}")
        self._queues[conversation_id] = task
        task.add_done_callback(lambda _: self._end_queue(conversation_id, task))

    def let_go(self, conversation_id: int) -> None:
        """Stop driving a run that another worker has taken."""
        if (driver := self.drivers.pop(conversation_id, None)) is not None:
            driver.stop()
            self.wake()

    async def hand_over(self, *, within: float) -> None:
        """Claim no more runs, and release each run after its next recorded event.

        Return after `within` seconds, although runs without a new event are not released.
        """
        self.is_closing = True
        for driver in self.drivers.values():
            driver.is_leaving = True
        tasks = [driver.task for driver in self.drivers.values() if driver.task is not None]
        if self._claiming is not None:
            tasks.append(self._claiming)
        if tasks:
            await asyncio.wait(tasks, timeout=within)

    async def close(self) -> None:
        """Release every run, so that another process can continue it at once; end all tasks."""
        self.is_closing = True
        drivers = list(self.drivers.values())
        self.drivers.clear()
        for driver in drivers:
            driver.stop()
        await in_database(_release, [driver.lease for driver in drivers])
        if self._claiming is not None:  # it releases the runs that it claims now
            await asyncio.wait([self._claiming], timeout=settings.LEASE_SECONDS)
        tasks = [driver.task for driver in drivers] + [self._claiming, self._renewing]
        await end_tasks(task for task in [*tasks, *self._queues.values()] if task is not None)

    async def _claim(self) -> None:
        while self._is_due:
            self._is_due = False
            free = self.capacity - len(self.drivers)
            try:
                leases = await in_database(claim_runs, limit=free, skip=list(self._unknown))
            except AnyDatabaseError as error:
                log.warning("No run was claimed, because the database failed: %s", error)
                return
            if self.is_closing:
                await in_database(_release, leases)
                return
            for lease in leases:
                self._drive(lease)

    def _drive(self, lease: Lease) -> None:
        driver = self.drivers[lease.conversation_id] = RunDriver(lease)
        if lease.attempt > 1:
            report_takeover(lease.conversation_id)
        driver.start(self._after_run)
        if self._renewing is None or self._renewing.done():
            self._renewing = task_of(self._renew(), name="renew-leases")

    def _after_run(self, driver: RunDriver) -> None:
        """Process the commands that waited for the end of a run, and claim the next run."""
        if self.drivers.get(driver.conversation_id) is driver:
            del self.drivers[driver.conversation_id]
        if driver.is_unknown:
            self._unknown[driver.conversation_id] = True
        self.process_queue(driver.conversation_id)
        self.wake()

    async def _renew(self) -> None:
        """Renew the leases of all drivers while there are any."""
        while self.drivers:
            await asyncio.sleep(settings.LEASE_SECONDS / 3)
            for driver in [driver for driver in self.drivers.values() if driver.is_stalled]:
                log.warning("Conversation %s: no progress.", driver.conversation_id)
                self._drop(driver)
            held = {pk: driver for pk, driver in self.drivers.items() if _needs_lease(driver)}
            leases = [driver.lease for driver in held.values()]
            with suppress(AnyDatabaseError):  # the next attempt is before the leases expire
                for conversation_id in await in_database(renew_leases, leases=leases):
                    if _needs_lease(held[conversation_id]):
                        self._drop(held[conversation_id])

    def _drop(self, driver: RunDriver) -> None:
        """Stop a driver that has lost its lease, or loses it because it is not renewed."""
        driver.stop()
        if self.drivers.get(driver.conversation_id) is driver:
            del self.drivers[driver.conversation_id]
            self.wake()

    def _end_queue(self, conversation_id: int, task: asyncio.Task[None]) -> None:
        del self._queues[conversation_id]
        if task.cancelled():
            return
        match task.exception():
            case None | Conversation.DoesNotExist():  # deleted
                pass
            case AnyDatabaseError() as error:  # the next sweep repeats it
                log.warning("Conversation %s: the database failed: %s", conversation_id, error)
            case error:
                log.error("Conversation %s: its queue failed.", conversation_id, exc_info=error)


def _needs_lease(driver: RunDriver) -> bool:
    return driver.is_held and not driver.is_ending


def _release(leases: Iterable[Lease]) -> None:
    """Release runs; those that a failure leaves are continued after their leases have expired."""
    with suppress(AnyDatabaseError):
        for lease in leases:
            release_lease(lease=lease)


_LOOPS: WeakSet[RunLoop] = WeakSet()


@atexit.register
def _release_all() -> None:
    """Release the runs of a process that ends without `close`."""
    if leases := [driver.lease for loop in _LOOPS for driver in loop.drivers.values()]:
        _release(leases)
        connection.close()
