"""Connections of a server to PostgreSQL."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.designer.rehearsal.test_rehearsals_on_postgresql import QUESTION, Person

pytestmark = pytest.mark.server

CONNECTIONS = 3


@pytest.fixture
def server(postgres_url, redis_url, start_server):
    environment = {
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "BATON_DATABASE_CONNECTIONS": str(CONNECTIONS),
        "BATON_TOKENS_PER_SECOND": "0",
    }
    return start_server(environment=environment, samples=True)


def sessions(url: str) -> int:
    """Return the number of connections of others to the database."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        [[count]] = rows.fetchall()
    return int(count)


def threads(server) -> int:
    return len(os.listdir(f"/proc/{server.pid}/task"))


def test_a_server_returns_every_connection_and_thread(server, postgres_url):
    person = Person(server)
    conversation = person.begin()
    reader = person.read(server, conversation)
    pages = ("/", "/jobs/", "/inbox/", f"/conversations/{conversation}/", "/connections/", "/404/")
    counts = []
    for number in range(3):
        reader.text = ""
        reader.say(f"{QUESTION} {number}")
        with ThreadPoolExecutor(8) as clients:
            answers = list(clients.map(person.browser.get, pages * 6))
        assert {answer.status_code for answer in answers} <= {200, 404}
        reader.until(r'data-type="run\.completed"')
        counts.append(threads(server))
    assert 1 <= sessions(postgres_url) <= CONNECTIONS
    assert counts[2] <= counts[1] + 2, "the threads do not grow with the requests"
    reader.socket.close()
    person.browser.close()
