"""Sockets of `scripts/bench live`: opened, read to the end of an answer, and how long it took."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import Sequence

from tests.bench.live_heard import Heard, Server
from tests.bench.sockets import Socket

WAIT = 120.0


async def opened(server: Server, path: str) -> Socket:
    """A socket of whoever is signed in."""
    return await Socket.open(f"{server.sockets}{path}", server.there["session"])


async def resumed(socket: Socket) -> None:
    """Have a socket read on from the end; it is told something, or nothing for a while."""
    socket.send('{"op": "resume", "after": "999999999"}')
    with contextlib.suppress(TimeoutError):
        while True:
            await asyncio.wait_for(socket.receive(), 1.0)


def say() -> str:
    """A message that is answered."""
    return json.dumps({"op": "say", "id": uuid.uuid4().hex, "text": "Tell me everything."})


async def listen(socket: Socket, heard: Heard) -> None:
    """Hear an answer to its end: a run that is over, or a word that no other follows."""
    with contextlib.suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
        while True:
            wait = 3.0 if heard.delays else WAIT
            frame = await asyncio.wait_for(socket.receive(), wait)
            heard.take(frame)
            if 'data-type="run.completed"' in frame:
                return


def at(delays: Sequence[float], share: float) -> float:
    """The delay that this share of them is within."""
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * share))]


def told(whole: float, newest: float, cpu: float, lost: int) -> str:
    """A row of the table."""
    return (
        f"99th {whole * 1e3:.0f} ms (newest word of a frame {newest * 1e3:.0f} ms), "
        f"{cpu:.0%} of the core, {lost} words lost"
    )
