"""Outages of Redis and stops of servers, while runs are in progress that nobody reads."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
import redis

from tests.designer.rehearsal.test_faults import SET_UP, Page
from tests.openai_server import HOLD, Call, OpenAIServer, Piece
from tests.serving import BatonServer
from tests.soak_clients import Desk
from tests.socket_client import SocketGoneError

pytestmark = [pytest.mark.server, pytest.mark.long]

MAX_WAIT = 60
"""Seconds for what must come: a busy machine is no failure."""


@contextmanager
def frozen(redis_url: str) -> Iterator[None]:
    """Stop a Redis server from responding; its connections stay open."""
    with closing(redis.Redis.from_url(redis_url)) as client:
        process = int(client.info("server")["process_id"])
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


COUNT = (
    "SELECT count(*) FROM designer_recordedevent"
    " WHERE conversation_id = ? AND type IN (SELECT value FROM json_each(?))"
)


async def until_recorded(server: BatonServer, conversation: int, *types: str, count: int) -> None:
    """Wait until the journal has this number of events of these types."""
    parameters = (conversation, json.dumps(types))
    with closing(sqlite3.connect(server.data_dir / "baton.sqlite3", timeout=10)) as database:
        await until(lambda: database.execute(COUNT, parameters).fetchone()[0] >= count)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(MAX_WAIT):
        while not condition():  # noqa: ASYNC110 - the condition is a row of a database
            await asyncio.sleep(0.1)


async def test_a_run_ends_and_the_next_one_too_while_redis_does_not_respond(
    redis_url: str, start_server: Callable[..., BatonServer]
) -> None:
    server = start_server(
        environment={"REDIS_URL": redis_url, "BATON_TOKENS_PER_SECOND": "40"},
    )
    desk = Desk.of(server, 1)
    [conversation] = desk.conversations
    page = Page(desk, conversation)
    await page.come()
    page.say(1)
    await page.until("innerHTML:#turn")
    with frozen(redis_url):
        await until_recorded(server, conversation, "run.completed", count=1)
        page.say(2)
        await until_recorded(server, conversation, "run.completed", count=2)
    page.leave()
    await page.come()
    await page.until_there_are(2, "run.completed")
    assert page.seen == list(range(1, len(page.seen) + 1))
    assert page.kinds.count("turn.started") == page.kinds.count("message.completed")
    page.leave()


def with_three_calls(request: dict[str, Any]) -> Sequence[Piece]:
    """Call a tool three times, then answer; each turn waits for the test."""
    calls = sum(message["role"] == "tool" for message in request["messages"])
    return [HOLD, "Done."] if calls == 3 else [HOLD, Call("look_up", {"order": calls})]


async def test_three_kills_with_progress_between_them_do_not_fail_a_run_that_nobody_reads(
    start_server: Callable[..., BatonServer],
) -> None:
    with OpenAIServer(with_three_calls) as model:
        server = start_server(
            environment={**model.environment, "OPENAI_MODEL": "tiny", "BATON_LEASE_SECONDS": "1"}
        )
        session, conversation, *_ = server.manage("shell", "--no-imports", "-c", SET_UP).split()
        page = Page(Desk(server, session, []), int(conversation))
        await page.come()
        page.say(1)
        await page.until('data-type="turn.started"')
        page.leave()
        for turn in range(1, 4):
            await asyncio.to_thread(model.wait_until_held)
            model.release()
            await until_recorded(server, page.conversation, "turn.started", count=turn + 1)
            await asyncio.to_thread(model.wait_until_held)
            server.kill()
            model.release()  # the answer that nobody receives
            await asyncio.to_thread(server.start)
        await asyncio.to_thread(model.wait_until_held)
        model.release()
        await until_recorded(server, page.conversation, "run.completed", "run.failed", count=1)
        await page.come()
        await page.until_there_are(1, "run.completed")
        assert page.kinds.count("tool.called") == page.kinds.count("tool.returned") == 3
        assert page.kinds.count("turn.started") == page.kinds.count("message.completed") == 4
        page.leave()


async def closed_with(page: Page) -> int:
    """Return the code with which the server closes the page's socket."""
    try:
        while True:
            await page.read()
    except SocketGoneError as error:
        return error.code


async def test_a_server_that_stops_closes_sockets_with_1012_and_hands_its_runs_over(
    postgres_url: str, redis_url: str, start_server: Callable[..., BatonServer]
) -> None:
    environment = {
        "DATABASE_URL": postgres_url,
        "REDIS_URL": redis_url,
        "BATON_SECRET_KEY": "shared by both servers " * 3,
        "BATON_LEASE_SECONDS": "600",  # longer than the test
        "BATON_TOKENS_PER_SECOND": "20",
    }
    here, there = (start_server(environment=environment) for _ in range(2))
    desk = Desk.of(here, 1)
    page = Page(desk, desk.conversations[0])
    await page.come()
    page.say(1)
    await page.until("innerHTML:#turn")

    stopping = asyncio.create_task(asyncio.to_thread(here.stop))
    assert await closed_with(page) == 1012
    await stopping
    page.leave()
    query = "SELECT run_id = '' FROM designer_conversation WHERE id = %s"
    with psycopg.connect(postgres_url, autocommit=True) as database:
        await until(lambda: database.execute(query, [page.conversation]).fetchone() == (True,))
    page.desk = Desk(there, desk.session, desk.conversations)
    await page.come()
    await page.until_there_are(1, "run.completed")
    assert page.seen == list(range(1, len(page.seen) + 1))
    page.leave()
