"""What the server process takes, from whoever sends it."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from designer.server import MAX_BODY
from tests.serving import BatonServer

pytestmark = pytest.mark.server

ROOT = Path(__file__).resolve().parents[2]
MCP_SERVER = ROOT / "tests" / "orchestration" / "mcp_server.py"


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_past_the_bound_is_answered_413_and_not_kept(
    server: BatonServer, is_chunked: bool
) -> None:
    piece = b"x" * 2**20
    body = (piece for _ in range(MAX_BODY // len(piece) + 1))
    length = {} if is_chunked else {"Content-Length": str(MAX_BODY + len(piece))}

    answer = httpx.post(f"{server.url}/sign-in/", content=body, headers=length, timeout=30)

    assert answer.status_code == 413
    assert "at most 16 MiB" in answer.text


def test_a_body_up_to_the_bound_comes_through(server: BatonServer) -> None:
    answer = httpx.post(f"{server.url}/sign-in/", content=b"x" * MAX_BODY, timeout=30)

    assert answer.status_code == 403, "Django's own answer to a post without a token"


SERVING = """
import asyncio, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
import django
django.setup()
from twisted.internet import reactor
from designer.live.outside import _opened
from designer.server import serve
from orchestration.connections import Connection

async def call():
    files = Connection("files", "mcp_stdio", command=(sys.executable, sys.argv[1], "stdio"))
    await _opened()[1].call(files, "wait", {"mark": sys.argv[2]})

calls = []
reactor.callWhenRunning(lambda: calls.append(asyncio.ensure_future(call())))
serve(host="127.0.0.1", port=0, announce=print)
"""
"""A server in which a call to an MCP server is under way."""


def test_a_server_that_is_asked_to_stop_leaves_no_mcp_server_behind(tmp_path: Path) -> None:
    mark = tmp_path / "called"
    os.mkfifo(mark)
    command = [sys.executable, "-c", SERVING, str(MCP_SERVER), str(mark)]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}) as server:
        process = int(mark.read_text())
        server.terminate()
        assert server.wait(30) is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
