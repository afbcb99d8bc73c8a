"""Cost of runs in three workers with two servers, PostgreSQL and Valkey on this machine.

The same conversations stream in the embedded default: one server on SQLite, which drives the runs.
All processes share the cores of the machine, with this one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from tests.bench.live_heard import Heard, Server
from tests.bench.live_readers import WAIT, at, opened, resumed, say
from tests.bench.live_streams import Taken, speak_at_once
from tests.bench.sockets import Socket
from tests.faults.services import Services, running_services
from tests.prepared import Prepared
from tests.serving import BatonProcess, BatonServer

STEPS = (1, 25, 50, 75, 100, 125, 150, 200)
GOAL = 0.150
"""Seconds that may be added between provider and page, at the 99th percentile."""

PROGRAM = ("-m", "tests.bench.cluster_process")
PREPARE = """
import json
from tests.bench.live_there import prepare
print(json.dumps(prepare({count}, 30)))
"""
ATTEMPTS = 5
"""Attempts to open a socket."""

FEW = 20
"""Conversations that stream while their worker is killed, and for the time to the first turn."""

WIDTH = 48
"""Width of the first column of the table, in characters."""

ALL_QUEUED = "SELECT count(*) >= %s FROM designer_conversation WHERE ready_since IS NOT NULL"
ALL_ENDED = "SELECT count(*) = 0 FROM designer_conversation WHERE run_id <> ''"

FIRST_TURNS = """
SELECT extract(epoch FROM (turn.body->>'at')::timestamptz - (run.body->>'at')::timestamptz)
FROM designer_recordedevent run JOIN designer_recordedevent turn
ON turn.conversation_id = run.conversation_id AND turn.body->>'run_id' = run.body->>'run_id'
WHERE run.type = 'run.started' AND turn.type = 'turn.started' AND turn.body->>'turn' = '1'
"""


@dataclass(frozen=True)
class Stage:
    """Running servers with their conversations."""

    servers: list[Server]
    processes: Sequence[BatonProcess]

    @classmethod
    def of(cls, servers: Sequence[BatonServer], count: int, workers: Sequence[Any] = ()) -> Stage:
        """Create conversations of a signed-in user."""
        code = PREPARE.format(count=count)
        there = json.loads(servers[0].manage("shell", "--no-imports", "-c", code).splitlines()[-1])
        found = [Server(server.pid, there | {"url": server.url}) for server in servers]
        return cls(found, [*servers, *workers])

    def cpu(self) -> float:
        """CPU seconds of all processes."""
        return sum(Server(process.pid, {}).cpu() for process in self.processes)

    async def open(self, count: int) -> list[Socket]:
        """Open a page of each conversation, on one server after the other."""
        pks = self.servers[0].there["conversations"][:count]
        sockets = []
        for number, pk in enumerate(pks):
            server = self.servers[number % len(self.servers)]
            sockets.append(await _opened(server, f"/ws/conversations/{pk}/"))
        await asyncio.gather(*(resumed(socket) for socket in sockets))
        return sockets


async def _opened(server: Server, path: str) -> Socket:
    """Open a socket; repeat it as a page does, because a busy machine refuses some."""
    for _ in range(ATTEMPTS):
        with contextlib.suppress(ConnectionError):
            return await opened(server, path)
    return await opened(server, path)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench cluster", description=__doc__)
    parser.add_argument("--most", type=int, default=200, help="conversations at once (200)")
    parser.add_argument("--words", type=int, default=400, help="of an answer, 50 a second (400)")
    parser.add_argument("--queued", type=int, default=500, help="runs in the queue (500)")
    parser.add_argument("--kills", type=int, default=3, help="kills of a worker (3)")
    options = parser.parse_args()
    environment = {
        "BENCH_WORDS": str(options.words),
        "BATON_RUNS_PER_USER": "10000",
        "BATON_MAX_RUNS": "1000",
    }
    count = max(options.most, options.queued)
    _show([("the machine", f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")])
    with TemporaryDirectory(prefix="baton-bench-") as name:
        folder = Path(name)
        root = Prepared(folder, folder / "own").static_root
        with running_services(folder, root, environment, workers=3, program=PROGRAM) as services:
            stage = Stage.of(services.servers, count, services.workers)
            asyncio.run(_stream(stage, min(FEW, options.most), options.words))
            _show(_first_turns(services))
            _streams(stage, "workers", options.most, options.words)
            _show(asyncio.run(_throughput(stage, services, options.queued)))
            few = min(FEW, options.most)
            _show(asyncio.run(_recovery(stage, services, options.kills, few)))
        alone = BatonServer(
            folder / "alone", static_root=root, environment=environment, program=PROGRAM
        )
        alone.start()
        try:
            _streams(Stage.of([alone], options.most), "alone", options.most, options.words)
        finally:
            alone.stop()
    return 0


def _show(rows: Sequence[tuple[str, str]]) -> None:
    print("\n".join(f"{name:<{WIDTH}}  {value}" for name, value in rows), flush=True)  # noqa: T201


def _streams(stage: Stage, name: str, most: int, words: int) -> None:
    """Stream ever more conversations, until their words come too late; show each step."""
    best = 0
    for count in [step for step in STEPS if step <= most]:
        taken = asyncio.run(_stream(stage, count, words))
        label = f"{name}: {count} conversations at once"
        if not taken.speaking:
            _show([(label, "some answers had ended before others began")])
            break
        delay = at(taken.speaking, 0.99)
        if delay <= GOAL and not taken.lost:
            best = count
        text = (
            f"median {at(taken.speaking, 0.5) * 1e3:.0f} ms, 99th {delay * 1e3:.0f} ms, "
            f"CPU of a conversation {taken.cpu / count:.2%} of a core, {taken.lost} words lost"
        )
        _show([(label, text)])
        if delay > 4 * GOAL:
            break
    _show([(f"{name}: at most, with 99th ≤ {GOAL * 1e3:.0f} ms", str(best))])


async def _stream(stage: Stage, count: int, words: int) -> Taken:
    """Stream an answer in each conversation at the same time."""
    return await speak_at_once(await stage.open(count), stage.cpu, words)


def _first_turns(services: Services) -> list[tuple[str, str]]:
    """Return the time from the start of a run in a server to the first turn in a worker."""
    with psycopg.connect(services.database_url) as database:
        seconds = [float(row[0]) for row in database.execute(FIRST_TURNS)]
    text = f"median {at(seconds, 0.5) * 1e3:.0f} ms, 99th {at(seconds, 0.99) * 1e3:.0f} ms"
    return [("start of a run to its first turn", text)]


async def _throughput(stage: Stage, services: Services, count: int) -> list[tuple[str, str]]:
    """Queue short runs while the workers are frozen; count the runs of a second after that."""
    sockets = await stage.open(count)
    for worker in services.workers:
        worker.freeze()
    for number, socket in enumerate(sockets):
        message = {"op": "say", "id": f"brief-message-{number}", "text": "Answer briefly."}
        socket.send(json.dumps(message))
    await _until(services, ALL_QUEUED, count)
    began = time.monotonic()
    for worker in services.workers:
        worker.thaw()
    await _until(services, ALL_ENDED)
    seconds = time.monotonic() - began
    for socket in sockets:
        await socket.close()
    return [("queue throughput, runs of one turn", f"{count / seconds:.0f} runs per second")]


async def _recovery(
    stage: Stage, services: Services, kills: int, count: int
) -> list[tuple[str, str]]:
    """Kill the worker of all conversations while they stream, with another one beside it."""
    first, second, *others = services.workers
    for worker in others:
        worker.stop()
    gaps: list[float] = []
    for _ in range(kills):
        sockets = await stage.open(count)
        second.freeze()  # the first one claims every run
        for socket in sockets:
            socket.send(say())
        heard = [Heard() for _ in sockets]
        for socket, one in zip(sockets, heard, strict=True):
            while not one.take(await asyncio.wait_for(socket.receive(), WAIT)):
                pass
        second.thaw()
        first.kill()
        killed = time.monotonic()
        restarts = await asyncio.gather(*(_restart(socket, killed) for socket in sockets))
        gaps += [seconds for seconds in restarts if seconds is not None]
        for socket in sockets:
            await socket.close()
        await _until(services, ALL_ENDED)
        await asyncio.to_thread(first.start)
        first, second = second, first
    for worker in others:
        worker.start()
    if not gaps:
        return [(f"recovery after {kills} kills of a worker", "no answer was interrupted")]
    text = f"median {at(gaps, 0.5):.1f} s, 95th {at(gaps, 0.95):.1f} s, {len(gaps)} conversations"
    return [(f"recovery after {kills} kills of a worker", text)]


async def _restart(socket: Socket, killed: float) -> float | None:
    """Return the seconds until an answer starts again in the page; None if it had ended before."""
    while True:
        frame = await asyncio.wait_for(socket.receive(), WAIT)
        if "innerHTML:#turn" in frame:
            return time.monotonic() - killed
        if 'data-type="run.completed"' in frame:
            return None


async def _until(services: Services, query: str, *values: int) -> None:
    """Wait until a query of one value returns true."""
    async with asyncio.timeout(WAIT):
        while not await asyncio.to_thread(_is_true, services.database_url, query, values):  # noqa: ASYNC110 - the journal is a database
            await asyncio.sleep(0.05)


def _is_true(url: str, query: str, values: Sequence[int]) -> bool:
    with psycopg.connect(url) as database:
        [[value]] = database.execute(query.encode(), values).fetchall()
    return bool(value)


if __name__ == "__main__":
    sys.exit(main())
