"""Jobs of processes: start of a gated job, and its result."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import psycopg

from tests.serving import manage

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


def _run(environment: Mapping[str, str], code: str) -> str:
    return manage(environment, "shell", "--no-imports", "-c", code)


def start(environment: Mapping[str, str], folder: Path, count: int) -> int:
    """Start a gated job on the items from 1; return its id."""
    return int(_run(environment, START.format(folder=str(folder), count=count)))


def result(environment: Mapping[str, str]) -> list[object]:
    """Return the state of the only job, its finished items, its file, and the leases by shard."""
    found: list[object] = json.loads(_run(environment, RESULT))
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
    """Return the result file of a finished gated job."""
    return "".join(f"item {number}\n" for number in range(1, count + 1))
