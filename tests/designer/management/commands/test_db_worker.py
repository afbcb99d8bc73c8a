"""Workers as real processes on PostgreSQL: killed or frozen in the middle of a shard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.designer.jobs.gated_job import Gate, effects
from tests.designer.jobs.worker_processes import (
    MAX_WAIT,
    SETTINGS,
    lines,
    result,
    start,
    wait_for_end,
)
from tests.serving import ROOT, clean_environment

pytestmark = [pytest.mark.server, pytest.mark.long]


@contextmanager
def worker(environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run `manage.py db_worker` until the end of the block."""
    command = [sys.executable, "manage.py", "db_worker", "--interval", "0.1", "--no-startup-delay"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def on_postgres(postgres_url: str, tmp_path: Path) -> dict[str, str]:
    """Environment of workers on PostgreSQL."""
    own = {"DATABASE_URL": postgres_url, "BATON_DATA_DIR": str(tmp_path / "data")}
    return clean_environment() | own | SETTINGS


def test_a_killed_worker_is_replaced_and_no_shard_counts_twice(
    on_postgres: dict[str, str], tmp_path: Path
) -> None:
    gate = Gate(tmp_path, 5)
    start(on_postgres, tmp_path, 20)
    with worker(on_postgres), worker(on_postgres):
        pid = gate.wait_for_worker()
        os.kill(pid, signal.SIGKILL)
        gate.wait_until_dead()
        gate.open()
        state, done, output, fences = wait_for_end(on_postgres)
    assert (state, done, output) == ("done", 20, lines(20))
    assert fences == [1, 1, 2, *[1] * 7]
    again = sorted(effects(tmp_path))
    assert again == sorted([*range(1, 21), 5]), "only the killed shard ran again"


def test_a_frozen_worker_that_continues_writes_nothing(
    on_postgres: dict[str, str], tmp_path: Path
) -> None:
    gate = Gate(tmp_path, 1)
    start(on_postgres, tmp_path, 2)
    with worker(on_postgres) as frozen:
        assert gate.wait_for_worker() == frozen.pid
        frozen.send_signal(signal.SIGSTOP)
        gate.open()
        with worker(on_postgres):
            assert wait_for_end(on_postgres) == ["done", 2, lines(2), [2]]
        frozen.send_signal(signal.SIGCONT)
        frozen.terminate()
        frozen.wait(MAX_WAIT)
    assert result(on_postgres) == ["done", 2, lines(2), [2]]
    assert effects(tmp_path) == [1, 1, 2]
