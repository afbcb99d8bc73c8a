"""Rehearsals on PostgreSQL and Redis, with several servers: runs and readers on different ones."""

import json
import re
import uuid

import httpx
import pytest

from tests.serving import BatonServer
from tests.websocket_client import WebsocketClient

CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
QUESTION = "I was charged twice for order A-1043. I want one of them back."


class Person:
    """User with a session, which is valid on all servers."""

    def __init__(self, server: BatonServer) -> None:
        self.browser = httpx.Client(base_url=server.url, follow_redirects=True)
        self.post(server.sign_in_url())

    def post(self, path: str, page: str = "") -> httpx.Response:
        found = CSRF.search(self.browser.get(page or path).text)
        assert found is not None
        return self.browser.post(path, data={"csrfmiddlewaretoken": found[1]})

    def begin(self, wanted: str = "Customer support") -> int:
        """Start a conversation of a sample, and return its number."""
        html = self.browser.get("/").text
        names = re.findall(r'href="/pipelines/(\d+)/"[^>]*>([^<]+)<', html)
        pipeline = next(number for number, name in names if name == wanted)
        page = f"/pipelines/{pipeline}/"
        url = self.post(page + "conversations/", page=page + "rehearse/").url
        return int(url.path.split("/")[2])

    def read(self, server: BatonServer, conversation: int, after: int = 0) -> "Reader":
        cookies = "; ".join(f"{name}={value}" for name, value in self.browser.cookies.items())
        headers = [("Origin", server.origin), ("Cookie", cookies)]
        url = f"{server.websocket_url}/ws/conversations/{conversation}/"
        return Reader(WebsocketClient(url, headers), after)


class Reader:
    def __init__(self, socket: WebsocketClient, after: int) -> None:
        self.socket = socket
        self.text = ""
        self.ask(op="resume", after=after)

    def ask(self, **operation: object) -> None:
        self.socket.send(json.dumps(operation))

    def say(self, text: str) -> None:
        self.ask(op="say", id=uuid.uuid4().hex, text=text)

    def until(self, pattern: str) -> None:
        while not re.search(pattern, self.text):
            received = self.socket.receive()
            assert isinstance(received, str), f"closed with {received} after {self.text!r}"
            self.text += received

    @property
    def seen(self) -> list[int]:
        return [int(number) for number in re.findall(r'id="event-(\d+)"', self.text)]


@pytest.fixture
def servers(postgres_url, redis_url, start_server):
    """Two servers on one database and one channel layer."""
    environment = {
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "BATON_SECRET_KEY": "shared by both servers " * 3,
        "BATON_LEASE_SECONDS": "1",
        "BATON_TOKENS_PER_SECOND": "30",
    }
    return [start_server(environment=environment, samples=True) for _ in range(2)]


@pytest.fixture
def readers(servers):
    """Two tabs with one conversation, one on each server."""
    person = Person(servers[0])
    conversation = person.begin()
    found = [person.read(server, conversation) for server in servers]
    yield found
    for reader in found:
        reader.socket.close()
    person.browser.close()


@pytest.mark.long
def test_a_run_of_one_server_is_read_on_the_other_as_it_streams(readers):
    here, there = readers
    here.say(QUESTION)
    there.until(r'(?s)innerHTML:#turn.*beforeend:#turn.*data-type="run\.completed"')
    here.until(r'data-type="run\.completed"')
    assert there.seen == here.seen == list(range(1, len(here.seen) + 1))


@pytest.mark.long
def test_the_run_of_a_server_that_was_killed_goes_on_at_the_other(servers, readers):
    here, there = readers
    here.say(QUESTION)
    there.until("innerHTML:#turn")
    servers[0].kill()
    there.until(r'data-type="run\.completed"')
    assert there.seen == list(range(1, len(there.seen) + 1))
    assert there.text.count('data-type="run.started"') == 1


def test_a_run_is_stopped_from_the_other_server(readers):
    here, there = readers
    here.say(QUESTION)
    there.until("innerHTML:#turn")
    there.ask(op="stop")
    there.until("Stopped by ada")
    here.until("Stopped by ada")
    assert there.seen == here.seen == list(range(1, len(here.seen) + 1))
    there.say("Hello")
    here.until(r'(?s)Stopped by ada.*data-type="run\.completed".*data-type="run\.completed"')


@pytest.mark.long
def test_a_group_on_one_server_is_read_on_the_other_from_its_middle(servers):
    person = Person(servers[0])
    conversation = person.begin("Coding")
    here, there = (person.read(server, conversation) for server in servers)
    here.say("Gregorian only")
    there.until(r"(?s)#turn-[^\"]*__group_agent-style.*#turn-[^\"]*__group_agent-input")
    late = person.read(servers[1], conversation, after=there.seen[-1])
    end = r'data-type="run\.completed"\s*>'
    for reader in (here, there, late):
        reader.until(end)
    assert here.seen == there.seen == list(range(1, len(here.seen) + 1))
    assert late.seen == here.seen[-len(late.seen) :]
    answered = r'id="turn-[^"]*__group_agent-input_2-1"\s+hx-swap-oob="true"'
    assert re.search(answered, late.text)
    for reader in (here, there, late):
        reader.socket.close()
    person.browser.close()
