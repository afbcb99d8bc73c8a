"""Server with PostgreSQL and Redis."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from designer.settings import channel_layer, database
from tests.designer.live_conversations import MAX_WAIT
from tests.designer.rehearsal.test_rehearsals_on_postgresql import Person
from tests.serving import BatonServer
from tests.websocket_client import WebsocketRefusedError

pytestmark = pytest.mark.server

CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def press_sign_in(link: str) -> httpx.Response:
    """Open the link and press its button with a new client."""
    with httpx.Client() as client:
        token = CSRF.search(client.get(link).text)
        assert token is not None
        return client.post(link, data={"csrfmiddlewaretoken": token[1]})


def test_on_postgresql_the_demo_creates_tables_and_a_user_signs_in(
    empty_postgres_url, start_server
):
    server = start_server(environment={"DATABASE_URL": empty_postgres_url})

    response = press_sign_in(server.sign_in_url())

    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert not (server.data_dir / "baton.sqlite3").exists()
    vendor = "from django.db import connection; print(connection.vendor)"
    assert server.manage("shell", "--no-imports", "-c", vendor) == "postgresql"


def test_on_postgresql_simultaneous_uses_of_a_link_sign_in_once(postgres_url, start_server):
    server = start_server(environment={"DATABASE_URL": postgres_url})
    link = server.sign_in_url()
    with httpx.Client() as client, ThreadPoolExecutor(8) as pool:
        token = CSRF.search(client.get(link).text)
        assert token is not None
        form = {"csrfmiddlewaretoken": token[1]}
        cookies = dict(client.cookies)
        statuses = list(
            pool.map(lambda _: httpx.post(link, data=form, cookies=cookies).status_code, range(16))
        )
    assert sorted(statuses) == [302] + [410] * 15


def test_postgresql_connections_are_pooled_and_checked(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://ada:secret@db.example:6432/baton")
    config = database()
    assert config["ENGINE"] == "django.db.backends.postgresql"
    assert (config["CONN_MAX_AGE"], config["CONN_HEALTH_CHECKS"]) == (0, True)
    assert config["OPTIONS"]["pool"]["max_size"] == 20
    assert "init_command" not in config["OPTIONS"]
    monkeypatch.setenv("BATON_DATABASE_CONNECTIONS", "7")
    assert database()["OPTIONS"]["pool"]["max_size"] == 7


def test_without_redis_a_server_starts_and_each_websocket_costs_one_line(start_server):
    server = start_server(environment={"REDIS_URL": "redis://127.0.0.1:1"}, samples=True)
    person = Person(server)
    conversation = person.begin()
    for _ in range(2):
        with pytest.raises(WebsocketRefusedError):
            person.read(server, conversation)
    person.browser.close()
    lines = [line.partition(": ")[2] for line in server.log.read_text().splitlines()]
    assert [line for line in lines if line.startswith("Redis or Valkey cannot be used. It fails")]
    refused = "Refused a websocket: the channel layer does not work (ConnectionError). Check REDIS"
    assert len([line for line in lines if line.startswith(refused)]) == 2


async def test_redis_delivers_messages_between_processes(redis_url, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("REDIS_URL", redis_url)
    key = "shared by all processes " * 3
    layer = RedisPubSubChannelLayer(**channel_layer(key)["CONFIG"])
    channel = await layer.new_channel()
    await layer.group_add("conversation-1", channel)
    environment = {"REDIS_URL": redis_url, "BATON_SECRET_KEY": key}
    other_process = BatonServer(tmp_path, static_root=tmp_path, environment=environment)
    ring = (
        "from asgiref.sync import async_to_sync; from channels.layers import get_channel_layer;"
        "layer = get_channel_layer();"
        "async_to_sync(layer.group_send)('conversation-1', {'type': 'bell', 'seq': 7})"
    )
    await asyncio.to_thread(other_process.manage, "shell", "--no-imports", "-c", ring)
    async with asyncio.timeout(MAX_WAIT):
        message = await layer.receive(channel)
    await layer.flush()
    assert json.dumps(message) == '{"type": "bell", "seq": 7}'
