"""Server and workers as processes on PostgreSQL and Redis."""

import socket
import subprocess
import sys

import httpx
import pytest

from tests.designer.rehearsal.test_rehearsals_on_postgresql import QUESTION, Person
from tests.serving import ROOT, BatonWorker

pytestmark = pytest.mark.server


@pytest.fixture
def environment(postgres_url, redis_url):
    return {
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "BATON_RUNS": "workers",
        "BATON_SECRET_KEY": "shared by all processes " * 3,
        "BATON_LEASE_SECONDS": "1",
        "BATON_TOKENS_PER_SECOND": "30",
    }


@pytest.fixture
def server(environment, start_server):
    return start_server(environment=environment, samples=True)


@pytest.fixture
def workers(server, environment, static_root, tmp_path):
    found = [
        BatonWorker(tmp_path / f"worker-{number}", static_root=static_root, environment=environment)
        for number in range(2)
    ]
    yield found
    for worker in found:
        worker.stop()
    assert not [log for worker in found if (log := worker.errors())]


@pytest.fixture
def page(server):
    person = Person(server)
    reader = person.read(server, person.begin())
    yield reader
    reader.socket.close()
    person.browser.close()


TOKEN = "token-of-the-tests-0123456789"
END = r'data-type="run\.completed"'


def test_a_worker_streams_to_the_page_and_is_replaced_when_it_stops_or_dies(page, workers):
    first, second = workers
    page.say(QUESTION)
    page.until('data-type="run.started"')
    first.start()
    page.until("innerHTML:#turn")
    first.stop()
    second.start()
    page.until(END)

    page.text = ""
    page.say("And one more thing about my order A-1043.")
    page.until("innerHTML:#turn")
    second.kill()
    first.start()
    page.until(END)

    page.text = ""
    page.say(QUESTION)
    page.until("innerHTML:#turn")
    page.ask(op="stop")
    page.until(f"(?s)Stopped by ada.*{END}")


def test_a_worker_serves_its_metrics_for_the_token(environment, workers):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    worker = workers[0]
    worker.environment |= {"BATON_METRICS_PORT": str(port), "BATON_METRICS_TOKEN": TOKEN}
    worker.start()
    url = f"http://127.0.0.1:{port}/metrics"
    assert httpx.get(url).status_code == 401
    metrics = httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"})
    assert "baton_active_runs 0.0" in metrics.text


def test_a_worker_that_cannot_start_says_why_in_one_sentence(environment, workers):
    for name, value, sentence in (
        ("DATABASE_URL", "postgresql://ada@127.0.0.1:1/x", "The database cannot be reached ("),
        ("REDIS_URL", "redis://127.0.0.1:1", "Redis or Valkey cannot be used. It fails"),
        ("BATON_RUNS", "here", "BATON_RUNS is not workers"),
    ):
        done = subprocess.run(
            [sys.executable, "manage.py", "work"],
            cwd=ROOT,
            env=workers[0].environment | {name: value},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        [line] = done.stderr.splitlines()
        assert line.startswith(f"CommandError: {sentence}")
