"""Limits of the server process, and its end."""

import asyncio
import gc
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from designer.serving.server import MAX_BODY, AnnouncingServer, report_unhandled
from tests.serving import ROOT, BatonServer

pytestmark = pytest.mark.server

MCP_SERVER = ROOT / "tests" / "orchestration" / "mcp_server.py"


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_above_the_limit_gets_413_and_is_not_stored(
    server: BatonServer, is_chunked: bool
) -> None:
    piece = b"x" * 2**20
    body = (piece for _ in range(MAX_BODY // len(piece) + 1))
    length = {} if is_chunked else {"Content-Length": str(MAX_BODY + len(piece))}

    answer = httpx.post(f"{server.url}/sign-in/", content=body, headers=length, timeout=30)

    assert answer.status_code == 413
    assert "at most 16 MiB" in answer.text


def test_a_body_up_to_the_limit_is_accepted(server: BatonServer) -> None:
    answer = httpx.post(f"{server.url}/sign-in/", content=b"x" * MAX_BODY, timeout=30)

    assert answer.status_code == 403, "Django's own answer to a post without a token"


def test_a_static_file_has_only_the_necessary_headers(server: BatonServer) -> None:
    page = httpx.get(f"{server.url}/sign-in/")
    found = re.search(r'href="(/static/css/[^"]+)"', page.text)
    assert found is not None

    file = httpx.get(server.url + found[1], headers={"Accept-Encoding": "gzip"})

    assert "Cross-Origin-Opener-Policy" in page.headers
    assert "Server" not in page.headers
    assert set(file.headers) == {
        "cache-control",
        "content-encoding",
        "content-length",
        "content-type",
        "vary",
        "x-content-type-options",
    }


SERVING = """
import asyncio, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
import django
django.setup()
from designer.rehearsal.live.remote_tools import _OPENED
from designer.serving.server import serve  # selects the reactor
from orchestration.network import ConnectionSettings
from twisted.internet import reactor

async def call():
    files = ConnectionSettings("files", "mcp_stdio", command=(sys.executable, sys.argv[1], "stdio"))
    await _OPENED.get()[1].call(files, "wait", {"mark": sys.argv[2]})

calls = []
reactor.callWhenRunning(lambda: calls.append(asyncio.ensure_future(call())))
serve(host="127.0.0.1", port=0, announce=print)
"""
"""Program of a server with a running call to an MCP server."""


def test_a_stopped_server_ends_its_mcp_servers(tmp_path: Path) -> None:
    mark = tmp_path / "called"
    command = [sys.executable, "-c", SERVING, str(MCP_SERVER), str(mark)]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}) as server:
        while not (mark.exists() and mark.read_text()):
            assert server.poll() is None, "The server ended before the call."
            time.sleep(0.05)
        process = int(mark.read_text())
        server.terminate()
        assert server.wait(30) is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_a_stopping_server_waits_for_all_applications() -> None:
    may_end = asyncio.Event()

    async def page() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await may_end.wait()  # as for its thread, which asks the event loop for something

    socket = asyncio.ensure_future(asyncio.Event().wait())
    answering = asyncio.ensure_future(page())
    await asyncio.sleep(0)
    server = AnnouncingServer(announce=print, application=None, endpoints=["tcp:0"])
    answered = {"disconnected": 1.0}  # its application is gone already
    server.connections = {
        1: {"application_instance": socket},
        2: answered,
        3: {"application_instance": answering},
    }

    try:
        left = server.kill_all_applications().asFuture(asyncio.get_running_loop())
        await asyncio.wait([socket])
        for _ in range(10):
            await asyncio.sleep(0)
        has_waited = not left.done()
    finally:
        may_end.set()
        answering.cancel()
    await left

    assert has_waited
    assert socket.cancelled()
    assert answering.cancelled()


WAITING = """
import asyncio, os
os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
import django
django.setup()
from asgiref.sync import async_to_sync, sync_to_async
from designer.serving.server import serve  # selects the reactor
from twisted.internet import reactor

async def for_ever():
    print("waits", flush=True)
    await asyncio.Event().wait()

works = []
work = sync_to_async(async_to_sync(for_ever), thread_sensitive=False)
reactor.callWhenRunning(lambda: works.append(asyncio.ensure_future(work())))
serve(host="127.0.0.1", port=0, announce=lambda url: None)
"""
"""Program of a server with a thread that waits for the event loop forever."""


def test_a_server_stops_even_if_threads_wait_for_its_event_loop() -> None:
    command = [sys.executable, "-c", WAITING]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "waits\n"
        server.terminate()
        try:
            ended = server.wait(30)
        finally:
            server.kill()
    assert ended == 0


async def _leave(error: BaseException) -> None:
    """Leave the result of a failed future to no one."""
    future = asyncio.get_running_loop().create_future()
    future.set_exception(error)
    del future
    gc.collect()
    await asyncio.sleep(0)


async def test_an_exception_that_nobody_reads_is_logged_but_no_cancellation(caplog) -> None:
    asyncio.get_running_loop().set_exception_handler(report_unhandled)
    await _leave(asyncio.CancelledError())
    assert caplog.messages == []
    await _leave(ValueError("broken"))
    assert "ValueError('broken')" in caplog.text
