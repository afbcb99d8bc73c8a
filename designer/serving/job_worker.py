"""The worker of background tasks that a server on SQLite starts.

With PostgreSQL, workers are separate processes: `manage.py db_worker`.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from designer.core import in_database
from designer.jobs import SWEEP_SECONDS, JobSweeper, has_queued_work

STOP_SECONDS = 3.0
"""Maximum seconds for the current part of a job when the server stops."""

log = logging.getLogger(__name__)


class JobWorker:
    """A worker process, started when there is work, which ends with the work and with the server.

    It has the reading end of a pipe as its standard input. The kernel closes the other end when
    the server ends, even after `kill -9`.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    async def run(self) -> None:
        """Recover lost work, and start the worker when work is queued, until cancelled."""
        if connection.vendor != "sqlite":
            return
        sweeper = JobSweeper()
        while True:
            try:
                await in_database(sweeper.sweep)
                if not self.is_running and await in_database(has_queued_work):
                    self._start()
            except (DatabaseError, InterfaceError) as error:
                log.warning("Jobs were not checked, because the database failed: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    @property
    def is_running(self) -> bool:
        """True while the process runs."""
        return self._process is not None and self._process.poll() is None

    async def stop(self) -> None:
        """Stop the process after the current part of a job; end it if that takes too long."""
        process = self._process
        if process is None or not self.is_running:
            return
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)

    def _start(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        manage = str(settings.BASE_DIR / "manage.py")
        command = [sys.executable, manage, "db_worker", "--attached", "--batch", "--no-reload"]
        self._process = subprocess.Popen(  # noqa: S603 - a fixed command
            [*command, "--no-startup-delay"],
            stdin=subprocess.PIPE,
            process_group=0,  # Ctrl-C is for the server, which stops its worker
        )
