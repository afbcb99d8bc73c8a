"""Worker of a server on SQLite: it ends with its server, and its job can be stopped."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
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
from tests.serving import ROOT, BatonServer

pytestmark = [pytest.mark.server, pytest.mark.long]


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
