"""Drawing together on PostgreSQL and Redis: two people, each on a server of their own."""

import json
import re

import httpx
import pytest

from tests.designer.rehearsal.test_rehearsals_on_postgresql import CSRF, Person
from tests.serving import BatonServer
from tests.websocket_client import WebsocketClient

pytestmark = pytest.mark.long

GRACE = "grace"


class Tab:
    """An editor's socket on a real server."""

    def __init__(self, server: BatonServer, browser: httpx.Client, pipeline: int) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        headers = [("Origin", server.origin), ("Cookie", cookies)]
        url = f"{server.websocket_url}/ws/pipelines/{pipeline}/"
        self.socket = WebsocketClient(url, headers)
        self.until("data-heard")

    def ask(self, **operation: object) -> None:
        self.socket.send(json.dumps(operation))

    def until(self, pattern: str) -> str:
        while True:
            received = self.socket.receive()
            assert isinstance(received, str), f"closed with {received}"
            if re.search(pattern, received):
                return received


@pytest.fixture
def servers(postgres_url, redis_url, start_server):
    """Two servers on one database and one channel layer, each with a person of its own."""
    environment = {
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "BATON_SECRET_KEY": "shared by both servers " * 3,
    }
    here = start_server(environment=environment, samples=True)
    return here, start_server(environment=environment, username=GRACE)


def test_two_people_on_two_servers_see_each_other_and_each_others_changes(servers):
    ada, grace = (Person(server) for server in servers)
    html = ada.browser.get("/").text
    number, phase = int(re.findall(r'href="/pipelines/(\d+)/"', html)[0]), "stage-1"
    page = f"/pipelines/{number}/"

    def post(person, path, **fields):
        token = CSRF.search(person.browser.get(page).text)
        assert token is not None
        sent = {"csrfmiddlewaretoken": token[1], **fields}
        return person.browser.post(page + path, data=sent, headers={"HX-Request": "true"})

    assert post(ada, "share/", username=GRACE, role="editor").status_code == 200
    here = Tab(servers[0], ada.browser, number)
    there = Tab(servers[1], grace.browser, number)
    here.until("grace is here.")
    there.until("ada is here.")
    there.ask(op="look", at="stage-intake")
    here.until('data-at="stage-intake"')

    assert post(grace, "stages/add/", kind="agent", version="1").status_code == 200
    here.until('data-version="2" data-who="grace"')
    here.ask(op="catch_up", version="1")
    assert f'id="stage-{phase}"' in here.until("version-chip")

    there.socket.close()
    here.until("grace has left.")
    here.socket.close()
    for person in (ada, grace):
        person.browser.close()
