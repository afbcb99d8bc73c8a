"""`manage.py work`: drive the runs of conversations outside of the servers."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from channels.management.commands import runworker
from django.conf import settings
from django.core.management.base import CommandError

from designer.monitoring.metrics_server import metrics_server
from designer.rehearsal import WORKERS_CHANNEL
from designer.serving.run_worker import RunWorker, require_services
from designer.serving.server_lock import ServerStartError


class Command(runworker.Command):
    """Run Channels' worker on the channel of the workers."""

    help = "Drive the runs of conversations outside of the servers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the number of runs; the channel is fixed."""
        parser.add_argument(
            "--concurrency",
            type=positive_number,
            default=settings.MAX_RUNS,
            help=f"maximum number of runs at the same time ({settings.MAX_RUNS})",
        )

    def handle(self, *args: Any, concurrency: int, **options: Any) -> None:
        """Drive runs until a signal stops the process."""
        try:
            require_services()
        except ServerStartError as error:
            raise CommandError(str(error)) from error
        announce = partial(self._announce, concurrency)
        self.worker_class = partial(RunWorker, concurrency=concurrency, announce=announce)
        with _metrics():
            super().handle(*args, channels=[WORKERS_CHANNEL], **options)

    def _announce(self, concurrency: int) -> None:
        self.stdout.write(f"Baton drives up to {concurrency} runs in this worker")
        self.stdout.flush()


@contextmanager
def _metrics() -> Iterator[None]:
    """Serve the metrics of this process, if there is a port for them."""
    if settings.METRICS_PORT is None:
        yield
        return
    host, port = settings.METRICS_HOST, settings.METRICS_PORT
    with ExitStack() as stack:
        try:
            stack.enter_context(metrics_server(host=host, port=port))
        except OSError as error:
            raise CommandError(
                f"The metrics cannot be served on {host}:{port} ({error.strerror}): choose another "
                "BATON_METRICS_PORT and start again."
            ) from error
        yield


def positive_number(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(text)
    return int(text)
