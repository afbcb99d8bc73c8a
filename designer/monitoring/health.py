"""Health of a server: checks of everything that it needs to serve pages and runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import cache

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from designer.core import database_failure, in_database
from designer.rehearsal import count_unreplayable, find_workers, run_queue

CHECK_SECONDS = 5.0
"""Maximum seconds for a check."""

MAX_NAMES = 5
"""Maximum number of missing migrations in a result."""


@dataclass(frozen=True)
class CheckResult:
    """Result of a check: a sentence, which says the next step if it failed."""

    name: str
    is_ok: bool
    text: str


async def check_readiness() -> list[CheckResult]:
    """Run all checks at the same time."""
    return list(
        await asyncio.gather(
            within_limit("database", in_database(check_database)),
            within_limit("migrations", in_database(check_migrations)),
            within_limit("channel layer", check_channel_layer()),
            within_limit("workers", in_database(check_workers)),
        )
    )


def check_database() -> CheckResult:
    """Read from the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except AnyDatabaseError as error:
        return CheckResult("database", False, _problem(error))
    return CheckResult("database", True, f"{connection.display_name} answers.")


def check_migrations() -> CheckResult:
    """Compare the migrations of this version with those of the database."""
    try:
        applied = MigrationRecorder(connection).applied_migrations()
    except AnyDatabaseError as error:
        return CheckResult("migrations", False, _problem(error))
    missing = sorted(f"{app}.{name}" for app, name in _known_migrations() - applied.keys())
    if not missing:
        return CheckResult("migrations", True, "All migrations are applied.")
    names = ", ".join(missing[:MAX_NAMES]) + (" and more" if len(missing) > MAX_NAMES else "")
    text = f"Not applied: {names}. Run `manage.py migrate`."
    return CheckResult("migrations", False, text)


async def check_channel_layer() -> CheckResult:
    """Send a message through the channel layer and receive it."""
    layer = get_channel_layer()
    sent = {"type": "health.check"}
    try:
        channel = await layer.new_channel()
        received = asyncio.ensure_future(layer.receive(channel))
        try:
            await asyncio.sleep(0)  # the receiver is ready first: layers keep nothing for others
            await layer.send(channel, sent)
            await received
        finally:
            received.cancel()
    except Exception as error:  # noqa: BLE001 - each layer has errors of its own
        text = f"It fails ({type(error).__name__}). Check REDIS_URL and its server."
        return CheckResult("channel layer", False, text)
    return CheckResult("channel layer", True, f"{type(layer).__name__} delivers.")


def check_workers() -> CheckResult:
    """Look for live workers, if they drive the runs, and for runs that none of them can replay."""
    try:
        queue = run_queue()
        waiting = f" In the queue: {queue.length}, the oldest for {queue.seconds:.0f} s."
        if settings.RUNS == "here":
            return CheckResult("workers", True, f"The servers drive the runs.{waiting}")
        workers = find_workers()
        newest = max((worker.event_format for worker in workers), default=0)
        left = count_unreplayable(event_format=newest)
    except AnyDatabaseError as error:
        return CheckResult("workers", False, _problem(error))
    if not workers:
        text = "No worker was seen. Start `manage.py work` on at least one machine."
        return CheckResult("workers", False, text)
    if left:
        runs = "1 run" if left == 1 else f"{left} runs"
        wait = "waits" if left == 1 else "wait"
        text = f"{runs} of a newer version of Baton {wait}: update the workers."
        return CheckResult("workers", False, text)
    driven = sum(worker.runs for worker in workers)
    capacity = sum(worker.capacity for worker in workers)
    text = f"{len(workers)} seen, with {driven} of at most {capacity} runs.{waiting}"
    return CheckResult("workers", True, text)


async def within_limit(name: str, check: Awaitable[CheckResult]) -> CheckResult:
    """Await a check; it fails if it takes too long."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await check
    except TimeoutError:
        return CheckResult(name, False, f"No answer within {CHECK_SECONDS:.0f} seconds.")


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Return the keys of all migrations, without those that replace others of an empty database."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(key for key, each in loader.disk_migrations.items() if not each.replaces)


def _problem(error: AnyDatabaseError) -> str:
    failure = database_failure(error)
    return f"{failure.problem}." if failure else f"It fails ({type(error).__name__})."
