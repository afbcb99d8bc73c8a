"""One conversation with many readers, for `scripts/bench live`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from statistics import median

from tests.bench.live_heard import Heard, Server
from tests.bench.live_readers import WAIT, at, listen, opened, resumed, say, told
from tests.bench.sockets import Socket

_NOTE = re.compile(r"note-(\d+)-of-many")

PAUSE = 1.0
"""Seconds between two notes, so that everyone has the earlier note."""


async def watchers(server: Server, many: int) -> list[tuple[str, str]]:
    """Measure one conversation that many people watch through a share link."""
    path = f"/ws/watch/{server.there['token']}/"
    sockets = [await opened(server, path) for _ in range(many)]
    own = await opened(server, f"/ws/conversations/{server.there['watched']}/")
    await asyncio.gather(*(resumed(one) for one in [own, *sockets]))
    heard = [Heard() for _ in sockets]
    before, began = server.cpu(), time.monotonic()
    own.send(say())
    with contextlib.suppress(TimeoutError):
        listening = (listen(*pair) for pair in zip(sockets, heard, strict=True))
        await asyncio.wait_for(asyncio.gather(*listening), WAIT)
    cpu = (server.cpu() - before) / (time.monotonic() - began)
    for one in [own, *sockets]:
        await one.close()
    delays = [delay for one in heard for delay in one.delays]
    newest = [delay for one in heard for delay in one.newest]
    lost = sum(max(len(one.delays) for one in heard) - len(one.delays) for one in heard)
    return [
        (
            f"fan-out to {many} watchers",
            told(at(delays, 0.99), at(newest, 0.99), cpu, lost),
        )
    ]


async def readers(server: Server, many: int, rounds: int) -> list[tuple[str, str]]:
    """Measure an event with many readers, and the same frame with bare consumers in one hub."""
    ours = await _Crowd.gather(server, f"/ws/conversations/{server.there['watched']}/", many)
    await ours.ask('{"op": "resume", "after": "999999999"}')
    bare = await _Crowd.gather(server, "/bare/hub/", many)
    for number in range(6 * rounds):  # one beside the other, on a machine that does other work
        frame = await ours.measure(
            server, number, json.dumps({"op": "note", "text": f"note-{number}-of-many"})
        )
        await bare.measure(server, number, frame)
    await ours.leave()
    await bare.leave()
    ratio, cpu = ours.took / bare.took, ours.cpu / bare.cpu if bare.cpu else float("nan")
    return [
        (f"an event to {many:,} readers", str(ours)),
        ("... the same bytes through a bare hub", str(bare)),
        ("... ours beside it", f"{ratio:.2f}x the time, {cpu:.2f}x the CPU"),
    ]


class _Crowd:
    """Many sockets of one address: the first sends, and all receive."""

    def __init__(self) -> None:
        self.sockets: list[Socket] = []
        self.came: list[_Came] = []
        self.reading: list[asyncio.Task[None]] = []
        self.all_took: list[float] = []
        self.all_cpu: list[float] = []

    @classmethod
    async def gather(cls, server: Server, path: str, many: int) -> _Crowd:
        """Open `many` sockets, and one more that sends."""
        crowd = cls()
        for _ in range(many + 1):
            crowd.sockets.append(await opened(server, path))
            crowd.came.append(_Came())
            crowd.reading.append(asyncio.create_task(crowd.came[-1].read(crowd.sockets[-1])))
        return crowd

    async def ask(self, text: str) -> None:
        """Send a message from each socket in turn, and wait for its answer."""
        for socket, came in zip(self.sockets, self.came, strict=True):
            socket.send(text)
            await asyncio.wait_for(came.first.wait(), WAIT)

    async def measure(self, server: Server, number: int, text: str) -> str:
        """Send a note from the first socket, wait until all have it, and return its frame."""
        await asyncio.sleep(PAUSE)
        before, began = server.cpu(), time.monotonic()
        self.sockets[0].send(text)
        async with asyncio.timeout(WAIT):
            at_last = max([await one.note(number) for one in self.came])
        self.all_took.append(at_last - began)
        self.all_cpu.append(server.cpu() - before)
        return self.came[0].frame

    async def leave(self) -> None:
        """Close them all."""
        for task in self.reading:
            task.cancel()
        for socket in self.sockets:
            await socket.close()

    @property
    def took(self) -> float:
        """Median time until all have a note, in seconds."""
        return median(self.all_took)

    @property
    def cpu(self) -> float:
        """Mean CPU time of a note, in seconds; the system counts hundredths."""
        return sum(self.all_cpu) / len(self.all_cpu)

    def __str__(self) -> str:
        return (
            f"median {self.took * 1e3:.0f} ms until all have it "
            f"(best {min(self.all_took) * 1e3:.0f}), {self.cpu * 1e3:.0f} ms CPU"
        )


class _Came:
    """Arrival times of the notes at one reader."""

    def __init__(self) -> None:
        self.at: dict[int, float] = {}
        self.frame = ""
        self.news = asyncio.Event()
        self.first = asyncio.Event()
        """Set by the first frame."""

    async def read(self, socket: Socket) -> None:
        """Read until the socket is closed."""
        while True:
            text = await socket.receive()
            self.first.set()
            if found := _NOTE.search(text):
                self.at.setdefault(int(found[1]), time.monotonic())
                self.frame = text
                self.news.set()

    async def note(self, number: int) -> float:
        """Wait for a note, and return its arrival time."""
        while number not in self.at:
            self.news.clear()
            await self.news.wait()
        return self.at[number]
