"""Workers as real processes: killed in the middle of a shard, on PostgreSQL and on SQLite."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.designer.jobs.gated_job import Gate
from tests.serving import ROOT, BatonServer, clean_environment, manage

pytestmark = [pytest.mark.server, pytest.mark.long]

SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.designer.jobs.worker_settings",
    "BATON_JOB_LEASE_SECONDS": "2",
}
START = """
from django.contrib.auth.models import User
from designer.jobs import start_job
from tests.designer.jobs.gated_job import GATED
user, _ = User.objects.get_or_create(username="ada")
arguments = {{"folder": {folder!r}}}
items = range(1, {count} + 1)
print(start_job(kind=GATED, title="Gated", items=items, asked_by=user, arguments=arguments).pk)
"""
RESULT = """
import json
from designer.models import Job
from tests.designer.jobs.workers import output_of
job = Job.objects.get()
shards = list(job.shards.values_list("fence", flat=True))
print(json.dumps([job.state, job.done, output_of(job).decode(), shards]))
"""
MAX_WAIT = 60


def run(environment: Mapping[str, str], code: str) -> str:
    return manage(environment, "shell", "--no-imports", "-c", code)


def start(environment: Mapping[str, str], folder: Path, count: int) -> int:
    return int(run(environment, START.format(folder=str(folder), count=count)))


def result(environment: Mapping[str, str]) -> list[object]:
    found: list[object] = json.loads(run(environment, RESULT))
    return found


def wait_for_end(environment: Mapping[str, str]) -> list[object]:
    """Wait until the job is over; return its result."""
    deadline = time.monotonic() + MAX_WAIT
    url = environment.get("DATABASE_URL")
    file = Path(environment["BATON_DATA_DIR"]) / "baton.sqlite3"
    with closing(
        psycopg.connect(url, autocommit=True) if url else sqlite3.connect(file)
    ) as database:
        while database.execute("SELECT ended FROM designer_job").fetchone() == (None,):
            assert time.monotonic() < deadline, "the job is not over"
            time.sleep(0.05)
    return result(environment)


def lines(count: int) -> str:
    return "".join(f"item {number}\n" for number in range(1, count + 1))


def effects(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "effects").read_text().split()]


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


@pytest.fixture
def server(start_server: Callable[..., BatonServer]) -> BatonServer:
    """Server on SQLite that knows the gated job."""
    return start_server(environment=SETTINGS)


def test_the_worker_ends_with_its_server_and_the_next_server_finishes_the_job(
    server: BatonServer, tmp_path: Path
) -> None:
    gate = Gate(tmp_path, 3)
    start(server.environment, tmp_path, 6)
    gate.wait_for_worker()
    server.kill()
    gate.wait_until_dead()
    gate.open()

    gate = Gate(tmp_path, 4)
    server.start()
    gate.wait_for_worker()
    server.stop()
    gate.wait_until_dead(seconds=0)
    gate.open()

    server.start()
    state, done, output, _ = wait_for_end(server.environment)
    assert (state, done, output) == ("done", 6, lines(6))
    assert sorted(effects(tmp_path)) == [1, 2, 3, 3, 3, 4, 4, 5, 6]


def test_a_job_is_stopped_while_a_worker_runs_it(server: BatonServer, tmp_path: Path) -> None:
    gate = Gate(tmp_path, 3)
    job = start(server.environment, tmp_path, 6)
    with httpx.Client(base_url=server.url, headers={"Referer": server.url}) as browser:
        sign_in(browser, server.sign_in_url())
        gate.wait_for_worker()
        page = browser.get(f"/jobs/{job}/")
        assert 'value="2"' in page.text
        browser.post(f"/jobs/{job}/stop/", data={"csrfmiddlewaretoken": token(page)})
        gate.open()
        assert 'data-state="stopped"' in browser.get(f"/jobs/{job}/").text
    end_attached_worker(server.environment)
    assert result(server.environment)[:3] == ["stopped", 2, ""]
    assert set(effects(tmp_path)) <= {1, 2, 3, 4}


def end_attached_worker(environment: Mapping[str, str]) -> None:
    """Run the worker of a server until there is no work: it ends without a complaint."""
    command = [sys.executable, "manage.py", "db_worker", "--attached", "--batch"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.wait(MAX_WAIT) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def sign_in(browser: httpx.Client, link: str) -> None:
    browser.post(link, data={"csrfmiddlewaretoken": token(browser.get(link))})


def token(page: httpx.Response) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert found
    return found[1]
