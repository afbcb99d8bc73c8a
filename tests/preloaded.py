"""Processes of `manage.py` without the time for the imports of packages.

A start of Baton spends most of its time on imports, and the tests start it a hundred times. So one
process imports the packages, and each start is a fork of it. What depends on settings is imported
after the fork, with the environment of the start: Django's applications and all of `designer`.
"""

import faulthandler
import gc
import importlib
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from typing import IO, Any, ClassVar

PACKAGES = (
    "orchestration",
    "ag_ui.core",
    "autobahn.websocket.compress",
    "autobahn.websocket.protocol",
    "channels.auth",
    "channels.generic.websocket",
    "cryptography.fernet",
    "django.contrib.admin",
    "django.db.backends.sqlite3.base",
    "django_htmx.middleware",
    "graphlay",
    "networkx",
    "pygments.lexers.configs",
    "pygments.lexers.data",
    "pygments.lexers.python",
    "twisted.internet.endpoints",
    "twisted.web.http",
    "whitenoise.middleware",
)
"""The slow imports of a server, except those that depend on settings or install an event loop."""


class PreloadedProcess:
    """A running `manage.py`, with the part of `subprocess.Popen` that the tests need."""

    def __init__(self, status: "Connection[Any, int]") -> None:
        self._status = status
        self.pid = status.recv()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        if self.returncode is None and self._status.poll():
            self.returncode = self._status.recv()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code; raise `subprocess.TimeoutExpired`."""
        if self.returncode is None and not self._status.poll(timeout):
            raise subprocess.TimeoutExpired("manage.py", timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Preloader:
    """Starts `manage.py` of one checkout by forks. `tests.serving` uses the current one, if any."""

    current: ClassVar["Preloader | None"] = None

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self._lock = threading.Lock()
        self._connection, self._theirs = Pipe()

    def close(self) -> None:
        """End the process that has imported the packages; started ones continue."""
        Preloader.current = None
        self._connection.close()
        self._theirs.close()
        if "_process" in vars(self):
            self._process.wait()

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        stdout: IO[Any],
        stderr: IO[Any],
    ) -> PreloadedProcess:
        """Start `manage.py` with these arguments, this environment and these files."""
        status, theirs = Pipe(duplex=False)
        with theirs, self._lock:
            self._connection.send((tuple(arguments), dict(environment)))
            for file in (stdout, stderr, theirs):
                send_handle(self._connection, file.fileno(), self._process.pid)
        return PreloadedProcess(status)

    @cached_property
    def _process(self) -> subprocess.Popen[bytes]:
        descriptor = self._theirs.fileno()
        return subprocess.Popen(
            [sys.executable, "-m", "tests.preloaded", str(descriptor)],
            cwd=self.checkout,
            stdin=subprocess.DEVNULL,
            pass_fds=[descriptor],
        )


def main(descriptor: int) -> None:
    """Import the packages; fork for each start that is requested, to run `manage.py` there."""
    for name in PACKAGES:
        importlib.import_module(name)
    for name in ("designer", "twisted.internet.reactor"):  # settings, and an event loop
        assert name not in sys.modules, f"one of the packages imports {name}"
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that report
    connection: Connection[Any, Any] = Connection(descriptor)
    arguments = _wait_for_start(connection)
    if arguments is not None:
        sys.argv = ["manage.py", *arguments]
        runpy.run_path("manage.py", run_name="__main__")


def _wait_for_start(connection: "Connection[Any, Any]") -> tuple[str, ...] | None:
    """Return the arguments in each fork; return None here, when the tests have ended."""
    arguments: tuple[str, ...]
    while True:
        try:
            arguments, environment = connection.recv()
        except EOFError:
            return None
        stdout, stderr, status = (recv_handle(connection) for _ in range(3))
        is_fork = os.fork() == 0
        if is_fork:
            connection.close()
            os.dup2(stdout, 1)
            os.dup2(stderr, 2)
            _fork_and_report(status)
            os.environ.clear()
            os.environ.update(environment)
        for each in (stdout, stderr, status):
            os.close(each)
        if is_fork:
            return arguments


def _fork_and_report(status: int) -> None:
    """Return in a fork only; report the fork's process id, and its exit code when it has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        faulthandler.enable()
        return
    reports: Connection[int, Any] = Connection(status)
    reports.send(process)
    _, ended = os.waitpid(process, 0)
    reports.send(os.waitstatus_to_exitcode(ended))
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
