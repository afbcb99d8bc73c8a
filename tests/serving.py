"""Real servers and workers, each in a separate process."""

import copy
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from tests.preloaded import PreloadedProcess, Preloader

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ("manage.py",)
START_SECONDS = 60
STOP_SECONDS = 20

# Variables of the developer's shell that must not reach a server under test.
FOREIGN_PREFIXES = ("BATON_", "DJANGO_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "OLLAMA_")
FOREIGN_NAMES = ("DATABASE_URL", "REDIS_URL")
OUR_PYTHON = "BATON_PYTHON"
"""Variable that selects the environment of the scripts: the one that runs the tests."""

Process = PreloadedProcess | subprocess.Popen[bytes]


class BatonProcess:
    """Process of `manage.py` with its own data and log."""

    name = ""

    def __init__(
        self,
        folder: Path,
        *,
        static_root: Path,
        environment: Mapping[str, str] | None = None,
        checkout: Path = ROOT,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self.program = program
        self.data_dir = folder / "data"
        self.log = folder / f"{self.name}.log"
        self.checkout = checkout
        self.expects_errors = False
        self.environment = clean_environment() | {
            "BATON_DATA_DIR": str(self.data_dir),
            "BATON_STATIC_ROOT": str(static_root),
            "PYTHONFAULTHANDLER": "1",
            **(environment or {}),
        }
        self._process: Process | None = None
        self._logged = 0

    @property
    def pid(self) -> int:
        """Process id of the running process."""
        assert self._process is not None, f"the {self.name} does not run"
        return self._process.pid

    def stop(self) -> None:
        """Stop the process and wait for its end."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process, like `kill -9` or a power failure."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop the execution of the process; its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Continue the execution of a frozen process."""
        os.kill(self.pid, signal.SIGCONT)

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py with the settings of this process; return its output."""
        return manage(self.environment, *arguments, checkout=self.checkout)

    def errors(self) -> str:
        """Return the log if it contains an unexpected error, otherwise an empty text."""
        log = self.log.read_bytes() if self.log.exists() else b""
        text = log[self._logged :].decode(errors="replace")
        return text if "Traceback" in text and not self.expects_errors else ""

    def _launch(self, command: Sequence[str], announcement: str) -> str:
        """Start the process; return the rest of the line that announces its readiness."""
        assert self._process is None, f"the {self.name} runs already"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        reading, writing = os.pipe()
        with open(writing, "wb") as output, self.log.open("ab") as log:
            process = self._process = start(
                command,
                self.environment,
                output,
                log,
                checkout=self.checkout,
                program=self.program,
            )
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=_drain, args=(reading, lines), daemon=True).start()
        while (line := lines.get(timeout=START_SECONDS)) is not None:
            if line.startswith(announcement):
                return line.removeprefix(announcement).strip()
        process.wait()
        self._process = None
        text = self.log.read_text(encoding="utf-8")
        raise AssertionError(f"the {self.name} did not start:\n{text}")

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # the log then contains the stacks of all threads
            process.wait()
            stacks = self.log.read_text(encoding="utf-8", errors="replace")
            raise AssertionError(
                f"the {self.name} did not stop on {number.name}:\n{stacks}"
            ) from None


class BatonWorker(BatonProcess):
    """`manage.py work`."""

    name = "worker"

    def start(self) -> None:
        """Start the worker and wait until it drives runs."""
        self._launch(["work"], "Baton drives ")


class BatonServer(BatonProcess):
    """`manage.py demo` on a free port of loopback."""

    name = "server"

    def __init__(
        self, folder: Path, *, samples: bool = False, username: str = "ada", **options: Any
    ) -> None:
        super().__init__(folder, **options)
        self.username = username
        self.session = ""
        self.samples = samples
        self.port = 0
        self._links: list[str] = []

    @property
    def url(self) -> str:
        """Address of the server, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """Origin header of a page of this server."""
        return self.url

    @property
    def websocket_url(self) -> str:
        """Address for websockets, without a trailing slash."""
        return f"ws://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server and wait until it is ready; a restart uses the same port and data."""
        command = ["demo", "--port", str(self.port), "--username", self.username]
        if not self.samples:
            command.append("--no-samples")
        link = self._launch(command, "Baton is ready: ")
        self.port = urlsplit(link).port or 0
        self._links = [link]

    def sign_in_url(self) -> str:
        """Return the address of an unused sign-in link."""
        if self._links:
            return self._links.pop()
        return self.manage("sign_in_link", "--username", self.username, "--base-url", self.url)

    def visited_by(self, username: str, session: str, token: str = "") -> "BatonServer":
        """Return this server for a test that shares it.

        It has its own signed-in user with an unused sign-in link, and only sees errors logged from
        now on. It cannot stop or start the server.
        """
        visited = copy.copy(self)
        visited.username, visited.session = username, session
        visited._process = None
        visited._links = [f"{self.url}/sign-in/{token}/"] if token else []
        visited._logged = self.log.stat().st_size
        return visited


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    stdout: IO[Any],
    stderr: IO[Any],
    *,
    checkout: Path = ROOT,
    program: Sequence[str] = PROGRAM,
) -> Process:
    """Start a command of manage.py; its standard input is empty."""
    preloader = Preloader.current
    if preloader and preloader.checkout == checkout and program == PROGRAM:
        return preloader.start(arguments, environment, stdout, stderr)
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
    )


def run_command(
    environment: Mapping[str, str], *arguments: str, checkout: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py to its end; return its exit code and what it wrote."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        code = start(arguments, environment, stdout, stderr, checkout=checkout).wait()
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())


def manage(environment: Mapping[str, str], *arguments: str, checkout: Path = ROOT) -> str:
    """Run a command of manage.py that must succeed; return its output."""
    done = run_command(environment, *arguments, checkout=checkout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def clean_environment() -> dict[str, str]:
    """Return the environment without variables that change the settings of a server."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == OUR_PYTHON or not (name.startswith(FOREIGN_PREFIXES) or name in FOREIGN_NAMES)
    }


def _drain(output: int, lines: queue.SimpleQueue[str | None]) -> None:
    """Pass every line to the queue, then None; reading to the end never blocks the writer."""
    with open(output, encoding="utf-8") as stream:
        for line in stream:
            lines.put(line)
    lines.put(None)
