"""`manage.py db_worker`: run background tasks, and recover those of dead workers."""

from __future__ import annotations

import logging
import os
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from django_tasks_db.management.commands import db_worker

from designer.jobs import SWEEP_SECONDS, JobSweeper

RETRY_SECONDS = 1.0
"""Seconds before the worker continues after a failure of the database."""

log = logging.getLogger(__name__)


class Command(db_worker.Command):
    """Run the worker of django-tasks-db, beside a thread that recovers lost work.

    A failure of the database interrupts the worker, but does not end it.
    """

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the option of the server, which starts a worker on SQLite."""
        super().add_arguments(parser)
        parser.add_argument(
            "--attached",
            action="store_true",
            help="stop when the standard input is closed, and log only problems",
        )

    is_attached = False

    def handle(self, **options: Any) -> None:
        """Run tasks until a signal, or until there are none with `--batch`."""
        self.is_attached = options.pop("attached", False)
        if self.is_attached:
            threading.Thread(target=_exit_with_server, daemon=True).start()
        pause = threading.Event()
        with _sweeps():
            while True:
                try:
                    super().handle(**options)
                    return
                except (DatabaseError, InterfaceError) as error:
                    log.warning("The database failed, and the worker tries again: %s", error)
                    connection.close()
                    pause.wait(RETRY_SECONDS)

    def configure_logging(self, verbosity: int) -> None:
        """Log the tasks, but only problems in a worker of the server."""
        super().configure_logging(verbosity)
        if self.is_attached:
            logging.getLogger("django_tasks").setLevel(logging.WARNING)
            logging.getLogger("django_tasks_db").setLevel(logging.ERROR)


def _exit_with_server() -> None:
    """End the process when the server's end of the pipe is closed, also by `kill -9`.

    An interrupted transaction is rolled back, and an interrupted shard runs again.
    """
    # Not through `sys.stdin`, whose lock would make the interpreter abort at a normal end.
    while os.read(0, 4096):
        pass
    os._exit(0)


@contextmanager
def _sweeps() -> Iterator[None]:
    """Recover lost work in a thread."""
    is_over = threading.Event()
    thread = threading.Thread(target=_sweep, args=[is_over], daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _sweep(is_over: threading.Event) -> None:
    sweeper = JobSweeper()
    while True:
        try:
            sweeper.sweep()
        except (DatabaseError, InterfaceError) as error:
            log.warning("Lost work was not recovered, because the database failed: %s", error)
        finally:
            connection.close()
        if is_over.wait(SWEEP_SECONDS):
            return
